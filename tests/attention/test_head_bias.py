"""The embedding step with a head bias: its gradient, its coefficient of v, and no bias as a special case."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsel_lib import attention
from attnsel_lib.attention.head_bias import biased_embedding_step, head_bias
from attnsel_lib.corpus import TokenCounts

from .conftest import small_problems


@pytest.fixture
def imbalanced():
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(20) % 5, 1, -1)
    return TokenCounts.from_sequences(rng.integers(6, size=(20, 4)), labels, 6)


@given(problem=small_problems())
@settings(max_examples=40, deadline=None)
def test_without_a_bias_it_is_the_embedding_step(problem):
    corpus, _, params = problem
    expected = attention.embedding_step(corpus, params, 1.5).E
    np.testing.assert_allclose(biased_embedding_step(corpus, params, 1.5, 0.0).E, expected, atol=1e-12)


@given(problem=small_problems(), bias=st.floats(-3, 3))
@settings(max_examples=30, deadline=None)
def test_the_step_descends_the_biased_loss(problem, bias):
    corpus, _, params = problem

    def loss(E):
        f = attention.forward(corpus, attention.Parameters(E, params.p, params.v))
        return np.logaddexp(0, -corpus.labels * (f + bias)).mean()

    direction = np.random.default_rng(1).normal(size=params.E.shape)
    slope = (loss(params.E + 1e-5 * direction) - loss(params.E - 1e-5 * direction)) / 2e-5
    step = biased_embedding_step(corpus, params, 1.0, bias).E - params.E
    assert slope == pytest.approx(-(step * direction).sum(), abs=1e-7)


def test_at_logits_zero_the_coefficient_is_the_centred_frequency(imbalanced):
    v = np.array([1.0, 0.0, 0.0])
    start = attention.Parameters(np.zeros((6, 3)), np.zeros(3), v)
    moved = biased_embedding_step(imbalanced, start, 3.0, head_bias(imbalanced)).E @ v
    alpha, phi = imbalanced.signed_frequency(), imbalanced.frequency()
    np.testing.assert_allclose(moved, 1.5 * (alpha - imbalanced.labels.mean() * phi), atol=1e-15)
    positive = imbalanced.labels == 1
    means = [imbalanced.shares[rows].mean(axis=0) for rows in (positive, ~positive)]
    np.testing.assert_allclose(moved, 3.0 * 0.8 * 0.2 * (means[0] - means[1]), atol=1e-15)


def test_the_bias_is_the_log_odds(imbalanced):
    assert head_bias(imbalanced) == pytest.approx(np.log(4))


def test_a_step_size_of_zero_is_refused(imbalanced):
    params = attention.initial_parameters(6, 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="eta must be finite and positive, got 0"):
        biased_embedding_step(imbalanced, params, 0.0, 0.1)
