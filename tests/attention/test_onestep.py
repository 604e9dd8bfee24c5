"""The embedding step: prediction, deterministic bound, first-order error, rank."""

import numpy as np
import pytest
from hypothesis import given, settings

from attnsel_lib import attention
from attnsel_lib.attention.synthetic import one_important_token

from .conftest import small_problems


def step_error(corpus, params, eta):
    change = attention.embedding_step(corpus, params, eta).E - params.E
    return change - np.outer(attention.predicted_alignment(corpus, eta), params.v)


@settings(max_examples=1000)
@given(small_problems())
def test_the_deterministic_bound_holds(problem):
    corpus, _, params = problem
    error = np.linalg.norm(step_error(corpus, params, 2.0), axis=1)
    assert (error <= attention.step_error_bound(corpus, params, 2.0) * (1 + 1e-12) + 1e-15).all()


def test_the_bound_separates_the_important_tokens_at_large_d_and_shrinks_like_its_root():
    rng = np.random.default_rng(0)
    corpus = one_important_token(rng).corpus
    bounds = {}
    for d in (1024, 16_384):
        params = attention.initial_parameters(corpus.n_tokens, d, rng)
        bounds[d] = attention.step_error_bound(corpus, params, 1.0)
    signal = np.abs(attention.predicted_alignment(corpus, 1.0))[:8]
    assert (bounds[16_384][:8] < signal / 4).all()
    ratio = bounds[1024].max() / bounds[16_384].max()
    assert 2 < ratio < 8  # 4 in the limit; delta is a maximum of 64 Gaussians, hence the margin


def test_first_order_error_leaves_a_small_rest():
    rng = np.random.default_rng(0)
    corpus = one_important_token(rng, n=120).corpus
    rests = {}
    for d in (256, 4096):
        params = attention.initial_parameters(corpus.n_tokens, d, rng, unit_v=False)
        error = step_error(corpus, params, 1.0)
        rest = error - attention.first_order_error(corpus, params, 1.0)
        rests[d] = np.linalg.norm(rest) / np.linalg.norm(error)
    assert rests[4096] < 0.03
    assert rests[4096] < rests[256] / 2


def test_the_step_is_exact_from_zero_and_of_rank_at_most_two():
    rng = np.random.default_rng(0)
    corpus = one_important_token(rng).corpus
    params = attention.initial_parameters(corpus.n_tokens, 64, rng)
    zero = attention.Parameters(np.zeros_like(params.E), np.zeros(64), params.v)
    assert np.abs(step_error(corpus, zero, 5.0)).max() < 1e-15
    change = attention.embedding_step(corpus, params, 1.0).E - params.E
    assert np.linalg.matrix_rank(change, tol=1e-12) == 2
    no_query = attention.Parameters(params.E, np.zeros(64), params.v)
    change = attention.embedding_step(corpus, no_query, 1.0).E - params.E
    assert np.linalg.matrix_rank(change, tol=1e-12) == 1


def test_step_for_alignment_sets_the_largest_coefficient():
    corpus = one_important_token(np.random.default_rng(0)).corpus
    eta = attention.step_for_alignment(corpus, 0.6)
    assert np.abs(attention.predicted_alignment(corpus, eta)).max() == pytest.approx(0.6, abs=1e-14)


@pytest.mark.parametrize("eta", [0, -1.0, np.nan, np.inf, [1.0]])
def test_step_sizes_must_be_positive(common_setting, eta):
    data, params = common_setting
    for step in (attention.embedding_step, attention.step_error_bound, attention.first_order_error):
        with pytest.raises(ValueError, match="step size eta must be finite and positive, got"):
            step(data.corpus, params, eta)
    with pytest.raises(ValueError, match="step size eta must be finite and positive, got"):
        attention.predicted_alignment(data.corpus, eta)
