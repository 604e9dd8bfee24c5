"""The look of the book's figures, their provenance and their numbers."""

from attnsel_lib.figures.arrays import plotted_arrays
from attnsel_lib.figures.compare import moved
from attnsel_lib.figures.provenance import publish
from attnsel_lib.figures.style import COLOURS, use_book_style
from attnsel_lib.figures.words import attention_on_words

__all__ = ["COLOURS", "attention_on_words", "moved", "plotted_arrays", "publish", "use_book_style"]
