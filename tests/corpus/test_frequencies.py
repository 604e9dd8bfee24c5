"""alpha, phi and lambda are what their definitions say, and are tied to one another."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnsel_lib.corpus import TokenCounts

from .strategies import corpora, sequences_and_labels

ROUNDING = 1e-15  # sums of at most 8 terms below 1, each with relative error 1e-16


@given(sequences_and_labels())
def test_definitions_position_by_position(parts):
    sequences, labels, size = parts
    alpha, phi = np.zeros(size), np.zeros(size)
    for sequence, y in zip(sequences, labels, strict=True):
        for token in sequence:
            alpha[token] += y / len(sequence) / len(labels)
            phi[token] += 1 / len(sequence) / len(labels)
    corpus = TokenCounts.from_sequences(sequences, labels, size)
    np.testing.assert_allclose(corpus.signed_frequency(), alpha, atol=5 * ROUNDING)
    np.testing.assert_allclose(corpus.frequency(), phi, atol=5 * ROUNDING)


@given(corpora())
def test_signed_frequency_is_frequency_times_posterior_difference(corpus):
    product = corpus.frequency() * corpus.posterior_difference()
    np.testing.assert_allclose(corpus.signed_frequency(), product, rtol=0, atol=ROUNDING)


@given(corpora())
def test_sum_rules(corpus):
    assert abs(corpus.frequency().sum() - 1) < 8 * ROUNDING
    assert abs(corpus.signed_frequency().sum() - corpus.labels.mean()) < 8 * ROUNDING


@given(corpora())
def test_bounds_hold_without_tolerance(corpus):
    assert (np.abs(corpus.signed_frequency()) <= corpus.frequency()).all()
    assert (np.abs(corpus.posterior_difference()) <= 1).all()


@given(corpora())
def test_completely_signed_tokens_are_exactly_one(corpus):
    seen = corpus.token_counts > 0
    in_positive = corpus.counts[corpus.labels == 1].sum(axis=0) > 0
    in_negative = corpus.counts[corpus.labels == -1].sum(axis=0) > 0
    completely_positive = corpus.signed_frequency() == corpus.frequency()
    np.testing.assert_array_equal(completely_positive & seen, in_positive & ~in_negative)
    np.testing.assert_array_equal(corpus.posterior_difference() == 1, in_positive & ~in_negative)
    np.testing.assert_array_equal(corpus.posterior_difference() == -1, in_negative & ~in_positive)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_one_important_token_in_each_sequence_sums_to_the_imbalance_of_the_labels(
    positive, negative, T, seed
):
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, -1], [positive, negative])
    important = rng.integers(3, size=len(labels)) + np.where(labels == 1, 0, 3)  # tokens 0-2 and 3-5
    others = rng.integers(6, 10, size=(len(labels), T - 1))
    sequences = rng.permuted(np.column_stack([important, others]), axis=1)
    corpus = TokenCounts.from_sequences(sequences, labels, 10)
    alpha = corpus.signed_frequency()
    np.testing.assert_allclose(
        alpha[:6].sum(), (positive - negative) / (len(labels) * T), rtol=0, atol=ROUNDING
    )
    np.testing.assert_array_equal(np.abs(alpha[:6]), corpus.frequency()[:6])


@given(corpora())
def test_flipping_the_labels_flips_the_signs(corpus):
    flipped = TokenCounts(corpus.counts, -corpus.labels, corpus.vocabulary)
    np.testing.assert_array_equal(flipped.signed_frequency(), -corpus.signed_frequency())
    np.testing.assert_array_equal(flipped.frequency(), corpus.frequency())


@given(corpora())
def test_shares_sum_to_one_in_each_sequence(corpus):
    np.testing.assert_allclose(corpus.shares.sum(axis=1), 1, rtol=8 * ROUNDING)
    np.testing.assert_array_equal(corpus.shares.indices, corpus.counts.indices)


def test_a_token_that_never_occurs_has_no_preference():
    corpus = TokenCounts.from_sequences([[0, 0], [1]], [1, -1], 3)
    np.testing.assert_array_equal(corpus.posterior_difference(), [1, -1, 0])
    np.testing.assert_array_equal(corpus.frequency(), [0.5, 0.5, 0])


def test_an_occurrence_weighs_less_in_a_longer_sequence():
    corpus = TokenCounts.from_sequences([[0, 1], [0, 1, 1, 1]], [1, -1], 2)
    # one occurrence of token 0 on each side; share 1/2 against 1/4
    np.testing.assert_allclose(corpus.posterior_difference()[0], (1 / 2 - 1 / 4) / (1 / 2 + 1 / 4))
