"""The synthetic data model of the book: one important token per sequence, the rest irrelevant."""

from typing import NamedTuple

import numpy as np

from ..corpus import TokenCounts


class SyntheticData(NamedTuple):
    """A corpus and, for each of its sequences, the token that decides the label.

    corpus : TokenCounts;  important : (n,) int
    """

    corpus: TokenCounts
    important: np.ndarray


def one_important_token(rng, n=64, length=8, positive=4, negative=4, irrelevant=24, paired=True):
    """Draw sequences with exactly one important token, whose sign is the label.

    Tokens 0..positive-1 occur only with label +1, the next `negative` ones only with label -1, each in
    turn; the other length - 1 places hold distinct irrelevant tokens, drawn uniformly. With `paired`
    every irrelevant draw serves one sequence of each label, so that irrelevant tokens have signed
    frequency exactly zero; the important ones then have alpha = +-(their count) / (n length).

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int, number of sequences, even, at least 2
    length : int, T >= 2 tokens per sequence
    positive, negative : int >= 1, important tokens of each sign (K = positive + negative)
    irrelevant : int >= length - 1, irrelevant tokens (M)
    paired : bool, share each irrelevant draw between the labels

    Returns
    -------
    SyntheticData
        (corpus, important); vocabulary "+1".., "-1".., "o1"..

    Raises
    ------
    ValueError
        If a size is out of its range.
    """
    _check_sizes(n, length, positive, negative, irrelevant)
    half = n // 2
    labels = np.tile([1, -1], half)
    important = np.column_stack([np.arange(half) % positive, positive + np.arange(half) % negative]).ravel()
    fillers = _distinct_draws(rng, half if paired else n, length - 1, irrelevant)
    fillers = positive + negative + (np.repeat(fillers, 2, axis=0) if paired else fillers)
    sequences = np.column_stack([important, fillers])
    corpus = TokenCounts.from_sequences(
        sequences, labels, positive + negative + irrelevant, _names(positive, negative, irrelevant)
    )
    return SyntheticData(corpus, important)


def _distinct_draws(rng, rows, k, n):
    """Each row holds k distinct integers below n, uniformly, (rows, k)."""
    return rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)[:, :k]


def _names(positive, negative, irrelevant):
    groups = (("+", positive), ("-", negative), ("o", irrelevant))
    return [f"{mark}{i + 1}" for mark, size in groups for i in range(size)]


def _check_sizes(n, length, positive, negative, irrelevant):
    if n < 2 or n % 2:
        raise ValueError(f"n must be even and at least 2, one sequence of each label, got {n}")
    if length < 2:
        raise ValueError(f"length must be at least 2, one important and one other token, got {length}")
    if positive < 1 or negative < 1:
        raise ValueError(f"positive and negative must be at least 1, got {positive} and {negative}")
    if irrelevant < length - 1:
        raise ValueError(f"irrelevant must be at least length - 1 = {length - 1}, got {irrelevant}")
