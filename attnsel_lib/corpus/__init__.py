"""Labelled corpora as token counts: where they come from, how they are counted, what the theory reads off."""

from attnsel_lib.corpus.counts import TokenCounts
from attnsel_lib.corpus.tokenize import words

__all__ = ["TokenCounts", "words"]
