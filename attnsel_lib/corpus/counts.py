"""A labelled corpus as token counts: all that a model without positions can see of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from attnsel_lib.corpus import building, checks


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Token counts and labels of n sequences over a vocabulary S.

    Parameters
    ----------
    counts : (n, |S|) array or scipy sparse
        cnt_i(s) = occurrences of token s in sequence i: whole numbers >= 0. Stored as a copy in
        csr form, float64, column indices sorted, duplicates summed, zeros removed.
    labels : (n,) in {-1, +1}, both present
    vocabulary : sequence of |S| distinct str
    rows : (n,) int, optional
        Position of each sequence in the data it came from; 0..n-1 by default. `subset` and
        ``from_texts(..., empty="drop")`` keep it up to date.

    Raises
    ------
    ValueError, TypeError
        For labels other than -1 and +1 or of one class only, an empty corpus, a sequence without
        tokens, counts that are negative, fractional, NaN or infinite, shapes that do not fit and
        repeated tokens; the message names the value.

    Notes
    -----
    A token may have no occurrence (phi = 0): a fixed vocabulary applied to other texts.

    Examples
    --------
    >>> corpus = TokenCounts([[1, 3], [0, 2]], [1, -1], ["good", "film"])
    >>> corpus.signed_frequency()
    array([ 0.125, -0.125])
    >>> corpus.frequency()
    array([0.125, 0.875])
    """

    counts: sparse.csr_array
    labels: np.ndarray
    vocabulary: tuple[str, ...]
    rows: np.ndarray | None = None

    def __post_init__(self):
        counts = checks.canonical_counts(self.counts)
        labels = checks.binary_labels(self.labels)
        vocabulary = checks.token_names(self.vocabulary)
        checks.matching_shapes(counts, labels, vocabulary)
        checks.both_classes(labels)
        checks.no_empty_sequence(counts)
        rows = np.arange(len(labels)) if self.rows is None else np.array(self.rows)
        if rows.shape != labels.shape:
            raise ValueError(f"rows has shape {rows.shape}, labels has shape {labels.shape}")
        self._set(counts, labels, vocabulary, rows)

    def __repr__(self):
        n, size, pairs = self.n_sequences, self.n_tokens, self.counts.nnz
        return (
            f"TokenCounts(sequences={n}, tokens={size}, pairs={pairs}, positive={np.sum(self.labels == 1)})"
        )

    def _set(self, counts, labels, vocabulary, rows):
        for name, value in {
            "counts": counts,
            "labels": labels,
            "vocabulary": vocabulary,
            "rows": rows,
        }.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_texts(cls, texts, labels, min_count=5, max_tokens=None, vocabulary=None, empty="raise"):
        """Count the words of labelled texts.

        Parameters
        ----------
        texts : sequence of n str, split by `attnsel_lib.corpus.words`
        labels : (n,) in {-1, +1}
        min_count : int >= 1
            Tokens that occur less often in the whole corpus are left out; the others are sorted by
            decreasing count, then alphabetically.
        max_tokens : int >= 1, optional
            Only the first so many words of each text are read, before any is left out.
        vocabulary : sequence of str, optional
            Tokens to count, in this order; other words are dropped and `min_count` has no effect.
            ``vocabulary=train.vocabulary`` puts test texts on the tokens of the training texts.
        empty : {"raise", "drop"}
            What happens to texts without any token of the vocabulary, which attention cannot read.
            After "drop", `rows` tells which texts were kept.

        Raises
        ------
        ValueError, TypeError
            As the constructor, and for a text that is not a string, min_count < 1, max_tokens < 1, no
            token that reaches min_count, and texts left without tokens (the first row is named).
        """
        labels = checks.binary_labels(labels)
        texts = checks.texts(texts, labels)
        checks.both_classes(labels)  # before the work
        counts, vocabulary = building.count_words(texts, min_count, max_tokens, vocabulary)
        rows = building.rows_to_keep(counts, empty)
        return cls(counts[rows], labels[rows], vocabulary, rows)

    @classmethod
    def from_sequences(cls, sequences, labels, vocabulary_size, vocabulary=None):
        """Count sequences of token indices.

        Parameters
        ----------
        sequences : (n, T) int array or n sequences of int of any length >= 1
            Values in 0 .. vocabulary_size - 1.
        labels : (n,) in {-1, +1}
        vocabulary_size : int >= 1, |S|
        vocabulary : sequence of |S| str, optional
            Names of the tokens; "0", "1", ... by default.

        Raises
        ------
        ValueError, TypeError
            As the constructor, and for an index that is no integer or out of range.
        """
        counts = building.count_indices(sequences, vocabulary_size)
        return cls(counts, labels, map(str, range(vocabulary_size)) if vocabulary is None else vocabulary)

    @property
    def n_sequences(self):
        """n, the number of sequences."""
        return self.counts.shape[0]

    @property
    def n_tokens(self):
        """|S|, the size of the vocabulary."""
        return self.counts.shape[1]

    @cached_property
    def lengths(self):
        """T_i = sum_s cnt_i(s), (n,) float64, >= 1."""
        return self.counts.sum(axis=1)

    @cached_property
    def token_counts(self):
        """Occurrences of each token in the corpus, (|S|,) float64."""
        return self.counts.sum(axis=0)

    @cached_property
    def shares(self):
        """cnt_i(s) / T_i, (n, |S|) csr with the index arrays of `counts`; rows sum to 1."""
        data = self.counts.data / np.repeat(self.lengths, np.diff(self.counts.indptr))
        return sparse.csr_array((data, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def signed_frequency(self):
        """Average signed frequency alpha_s = (1/n) sum_i y_i cnt_i(s) / T_i.

        Returns
        -------
        (|S|,) float64 in [-1, 1], |alpha| <= phi; sums to the mean label.
        """
        return self.shares.T @ self.labels / self.n_sequences

    def frequency(self):
        """Average frequency phi_s = (1/n) sum_i cnt_i(s) / T_i.

        Returns
        -------
        (|S|,) float64 in [0, 1]; sums to 1.
        """
        return self.shares.T @ np.ones(self.n_sequences) / self.n_sequences

    def posterior_difference(self):
        """Posterior difference lambda_s = alpha_s / phi_s = P(y=+1 | s) - P(y=-1 | s).

        An occurrence of s in sequence i weighs 1 / T_i (draw a sequence, then one of its positions),
        so that alpha = phi * lambda exactly. +1 or -1 means that every sequence with s has that label.

        Returns
        -------
        (|S|,) float64 in [-1, 1]; 0 where phi_s = 0.
        """
        alpha, phi = self.signed_frequency(), self.frequency()
        return np.divide(alpha, phi, out=np.zeros_like(alpha), where=phi > 0)

    def subset(self, rows):
        """Keep some of the sequences, with the same vocabulary.

        Parameters
        ----------
        rows : (m,) int indices (repeats allowed, order kept) or (n,) boolean mask

        Returns
        -------
        TokenCounts
            With `rows` traced back to the original data. It may hold a single class, unlike a corpus
            that is built: a batch or a test set is only evaluated.

        Raises
        ------
        ValueError, TypeError
            If nothing is selected, an index is out of range or the mask does not have n entries.
        """
        rows = checks.row_indices(rows, self.n_sequences)
        part = object.__new__(type(self))
        part._set(self.counts[rows], self.labels[rows], self.vocabulary, self.rows[rows])
        return part
