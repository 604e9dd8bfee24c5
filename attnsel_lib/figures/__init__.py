"""The look of the book's figures."""

from attnsel_lib.figures.style import COLOURS, use_book_style

__all__ = ["COLOURS", "use_book_style"]
