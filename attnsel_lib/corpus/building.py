"""Count tokens: of texts, and of sequences of token indices."""

import numpy as np
from scipy import sparse

from attnsel_lib.corpus import checks
from attnsel_lib.corpus.tokenize import words


def count_words(texts, min_count, max_tokens, vocabulary):
    """Return the counts (n, |S|) csr and the vocabulary of a list of texts.

    See `TokenCounts.from_texts` for the parameters. Rows without any token are kept.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    checks.at_least_one("min_count", min_count)
    if max_tokens is not None:
        checks.at_least_one("max_tokens", max_tokens)
    if vocabulary is not None:
        vocabulary = checks.token_names(vocabulary)
        if not vocabulary:
            raise ValueError("vocabulary is empty: it has 0 tokens")
    elif not any(map(words, texts)):
        raise ValueError(f"none of the {len(texts)} texts has a word")
    vectorizer = CountVectorizer(analyzer=lambda text: words(text)[:max_tokens], vocabulary=vocabulary)
    counts = sparse.csr_array(vectorizer.fit_transform(texts))
    if vocabulary is not None:
        return counts, vocabulary
    return _frequent(counts, vectorizer.get_feature_names_out(), min_count)


def _frequent(counts, tokens, min_count):
    """Keep the columns that sum to min_count or more, by decreasing sum; ties stay alphabetical."""
    totals = counts.sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    order = order[totals[order] >= min_count]
    if order.size == 0:
        top, most = tokens[totals.argmax()], totals.max()
        raise ValueError(
            f"no token reaches min_count={min_count}: {top!r}, the most frequent, occurs {most} times"
        )
    return counts[:, order], tuple(tokens[order].tolist())


def rows_to_keep(counts, empty):
    """Return the indices of the rows to keep: all of them ("raise") or those with a token ("drop")."""
    if empty not in ("raise", "drop"):
        raise ValueError(f'empty must be "raise" or "drop", got {empty!r}')
    filled = np.diff(counts.indptr) > 0
    if empty == "raise" and not filled.all():
        row, number = filled.argmin(), np.sum(~filled)
        raise ValueError(
            f"text {row} has no token of the vocabulary ({number} of {len(filled)} texts have none): "
            'lower min_count, or pass empty="drop" to leave them out'
        )
    if not filled.any():
        raise ValueError(f"none of the {len(filled)} texts has a token of the vocabulary")
    return np.flatnonzero(filled)


def count_indices(sequences, vocabulary_size):
    """Return the counts (n, vocabulary_size) csr of n sequences of token indices."""
    checks.at_least_one("vocabulary_size", vocabulary_size)
    rows = [_index_array(row, sequence) for row, sequence in enumerate(sequences)]
    if not rows:
        raise ValueError("the corpus is empty: there are 0 sequences")
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    tokens = np.concatenate(rows)
    bad = np.flatnonzero((tokens < 0) | (tokens >= vocabulary_size))
    if bad.size:
        row = np.searchsorted(indptr, bad[0], side="right") - 1
        raise ValueError(
            f"token index {tokens[bad[0]]} in sequence {row} is out of range 0..{vocabulary_size - 1}"
        )
    return sparse.csr_array((np.ones(len(tokens)), tokens, indptr), shape=(len(rows), vocabulary_size))


def _index_array(row, sequence):
    array = np.asarray(sequence)
    if array.ndim != 1 or array.size == 0:
        what = "is empty" if array.size == 0 else f"must have 1 dimension, got shape {array.shape}"
        raise ValueError(f"sequence {row} {what}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"sequence {row} must hold integers, got {array.flat[0].item()!r}")
    return array.astype(np.int64)
