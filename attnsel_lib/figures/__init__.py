"""The look of the book's figures."""

from attnsel_lib.figures.style import COLOURS, use_book_style
from attnsel_lib.figures.words import attention_on_words

__all__ = ["COLOURS", "attention_on_words", "use_book_style"]
