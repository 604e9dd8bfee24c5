"""Softmax weights of sequences given as token counts, formed in the log domain.

Everything the model computes is a reduction over the stored entries of the count matrix, one
segment per sequence. Two habits keep it exact however far the logits spread:

1. every weight is an exponential of a difference from the largest entry of its own sequence;
2. the score of that largest entry is taken as reference, so that ``gamma_s - f`` is a sum of small
   terms and never the difference of two nearly equal numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import expit


def selection(corpus, logits):
    """Token with the largest logit of each sequence, argmax_{s in X_i} z_s.

    Parameters
    ----------
    corpus : TokenCounts with n sequences
    logits : (|S|,) float, z = E p

    Returns
    -------
    (n,) int, token indices; the smallest index among exact ties.

    Raises
    ------
    ValueError
        If the logits do not fit the vocabulary or are not finite.
    """
    z = checked_vector("logits", logits, corpus.counts.shape[1])
    return corpus.counts.indices[_largest_entry(z[corpus.counts.indices], corpus.counts.indptr[:-1])]


def attention_weights(corpus, logits):
    """Total attention of each sequence on each of its token types.

    A_is = cnt_i(s) e^{z_s} / sum_r cnt_i(r) e^{z_r}, rows sum to one.

    Parameters
    ----------
    corpus : TokenCounts
    logits : (|S|,) float, z = E p

    Returns
    -------
    (n, |S|) scipy csr array with the sparsity of the counts.
    """
    z = checked_vector("logits", logits, corpus.counts.shape[1])
    weights = SequenceWeights(corpus, z, np.zeros_like(z))
    return weights.as_matrix(np.exp(weights.log_attention))


@dataclass(frozen=True)
class SequenceWeights:
    """Attention, outputs and their small differences for one pair (z, gamma).

    Arrays of length nnz follow the stored entries (i, s) of ``corpus.counts``.

    corpus : TokenCounts;  logits : (|S|,) z = E p;  gamma : (|S|,) scores E v
    """

    corpus: object
    logits: np.ndarray
    gamma: np.ndarray

    @property
    def starts(self):
        """First stored entry of each sequence, (n,)."""
        return self.corpus.counts.indptr[:-1]

    @cached_property
    def rows(self):
        """Sequence of each stored entry, (nnz,)."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.corpus.counts.indptr))

    @cached_property
    def _exponents(self):
        counts = self.corpus.counts
        return np.log(counts.data) + self.logits[counts.indices]

    @cached_property
    def largest(self):
        """Position of the largest weight of each sequence among the stored entries, (n,)."""
        return _largest_entry(self._exponents, self.starts)

    @cached_property
    def log_attention(self):
        """Log A_is, (nnz,)."""
        shifted = self._exponents - self._exponents[self.largest][self.rows]
        return shifted - np.log(np.add.reduceat(np.exp(shifted), self.starts))[self.rows]

    @cached_property
    def others(self):
        """True for every stored entry but the largest of its sequence, (nnz,)."""
        mask = np.ones(self.corpus.counts.nnz, bool)
        mask[self.largest] = False
        return mask

    @cached_property
    def log_inattention(self):
        """log(1 - A) of the largest entry, (n,); -inf when it is the only one."""
        return log_sum(np.where(self.others, self.log_attention, -np.inf), self.starts)

    @cached_property
    def _score_difference(self):
        gamma = self.gamma[self.corpus.counts.indices]
        return gamma - gamma[self.largest][self.rows]

    @cached_property
    def output_shift(self):
        """f_i minus the score of the largest entry, (n,)."""
        return np.add.reduceat(np.exp(self.log_attention) * self._score_difference, self.starts)

    @cached_property
    def outputs(self):
        """f_i = sum_s A_is gamma_s, (n,)."""
        return self.gamma[self.corpus.counts.indices[self.largest]] + self.output_shift

    @cached_property
    def log_residual(self):
        """Log sigma(-y_i f_i), (n,)."""
        return -np.logaddexp(0.0, self.corpus.labels * self.outputs)

    @cached_property
    def centred_scores(self):
        """gamma_s - f_i for every stored entry, (nnz,)."""
        return self._score_difference - self.output_shift[self.rows]

    def balanced(self, entries):
        """Replace the largest entry of each sequence by minus the sum of the others, (nnz,).

        For A_is (gamma_s - f_i), which sums to zero over a sequence, this keeps the tail that
        the subtraction gamma_s - f_i would round away.
        """
        rest = np.where(self.others, entries, 0.0)
        rest[self.largest] = -np.add.reduceat(rest, self.starts)
        return rest

    def as_matrix(self, entries):
        """The csr array (n, |S|) with these stored entries."""
        counts = self.corpus.counts
        return sparse.csr_array((entries, counts.indices, counts.indptr), shape=counts.shape)

    def over_tokens(self, entries):
        """Sum of the entries over all sequences, per token type, (|S|,)."""
        return np.bincount(self.corpus.counts.indices, entries, minlength=self.corpus.counts.shape[1])


def log_sum(exponents, starts):
    """Log of the sum of exponentials over each segment, (n,); -inf for segments of -inf."""
    top = np.maximum.reduceat(exponents, starts)
    top = np.where(np.isfinite(top), top, 0.0)
    lengths = np.diff(np.append(starts, len(exponents)))
    with np.errstate(divide="ignore"):  # log 0 = -inf is the right value of an empty tail
        return top + np.log(np.add.reduceat(np.exp(exponents - np.repeat(top, lengths)), starts))


def softplus_difference(slope_at, shift):
    """log(1+e^{-(a+x)}) - log(1+e^{-a}) for a = slope_at, x = shift, accurate for tiny x."""
    return np.log1p(expit(-slope_at) * np.expm1(-shift))


def checked_vector(name, values, length):
    """The values as a finite float vector of the given length, or a ValueError that says why not."""
    array = np.asarray(values, float)
    if array.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[bad]} at index {bad}")
    return array


def _largest_entry(exponents, starts):
    lengths = np.diff(np.append(starts, len(exponents)))
    is_top = exponents == np.repeat(np.maximum.reduceat(exponents, starts), lengths)
    return np.minimum.reduceat(np.where(is_top, np.arange(len(exponents)), len(exponents)), starts)
