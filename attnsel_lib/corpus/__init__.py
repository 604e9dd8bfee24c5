"""Labelled corpora as token counts: where they come from, how they are counted, what the theory reads off."""

from attnsel_lib.corpus.counts import TokenCounts
from attnsel_lib.corpus.sources import corpus_names, load_corpus
from attnsel_lib.corpus.texts import LabelledTexts, Origin
from attnsel_lib.corpus.tokenize import words

__all__ = ["LabelledTexts", "Origin", "TokenCounts", "corpus_names", "load_corpus", "words"]
