"""Closed-form outputs and gradients against torch autograd, finite differences and exact arithmetic."""

from itertools import combinations

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given

from attnsel_lib import attention
from attnsel_lib.attention import Parameters
from attnsel_lib.attention.weights import SequenceWeights
from attnsel_lib.corpus import TokenCounts

from .conftest import small_problems


def autograd(sequences, labels, params):
    """The model written with token sequences and a softmax over positions: (f, gradients)."""
    E, p, v = (torch.tensor(x, requires_grad=True) for x in (params.E, params.p, params.v))
    f = torch.stack([torch.softmax(E[s] @ p, 0) @ (E[s] @ v) for s in map(torch.tensor, sequences)])
    torch.nn.functional.softplus(-torch.tensor(labels) * f).mean().backward()
    return f.detach().numpy(), Parameters(E.grad.numpy(), p.grad.numpy(), v.grad.numpy())


def relative(got, expected):
    """Error relative to the expected norm; absolute where that is tiny (cancelling gradients)."""
    return np.linalg.norm(got - expected) / max(np.linalg.norm(expected), 1e-6)


@given(small_problems())
def test_gradients_equal_autograd(problem):
    corpus, sequences, params = problem
    f, expected = autograd(sequences, corpus.labels, params)
    assert relative(attention.forward(corpus, params), f) < 1e-10
    got = attention.gradients(corpus, params)
    for name in ("E", "p", "v"):
        assert relative(getattr(got, name), getattr(expected, name)) < 1e-8


@given(small_problems())
def test_gradients_equal_finite_differences(problem):
    corpus, _, params = problem
    gradient = attention.gradients(corpus, params)
    rng = np.random.default_rng(1)
    step = Parameters(*(rng.normal(size=np.shape(x)) for x in (params.E, params.p, params.v)))

    def loss_at(h):
        return attention.loss(
            corpus, Parameters(params.E + h * step.E, params.p + h * step.p, params.v + h * step.v)
        )

    h = 1e-3  # Richardson: the error is h^4 times the fifth derivative
    slopes = [(loss_at(x) - loss_at(-x)) / (2 * x) for x in (h, h / 2)]
    expected = sum(
        np.vdot(a, b)
        for a, b in zip((gradient.E, gradient.p, gradient.v), (step.E, step.p, step.v), strict=True)
    )
    size = sum(np.linalg.norm(x) ** 2 for x in (step.E, step.p, step.v))
    assert abs((4 * slopes[1] - slopes[0]) / 3 - expected) < 1e-8 * max(1.0, size**2.5)


@given(small_problems())
def test_both_ways_of_forming_the_weights_agree(problem):
    corpus, _, params = problem
    weights = SequenceWeights(corpus, params.logits, params.gamma)
    assert np.ptp(params.logits) <= 12 or relative(attention.forward(corpus, params), weights.outputs) == 0
    np.testing.assert_allclose(attention.forward(corpus, params), weights.outputs, rtol=1e-10, atol=1e-12)
    direction, log_norm = attention.p_gradient_direction(corpus, params)
    expected = attention.gradients(corpus, params).p
    assert relative(np.exp(log_norm) * direction, expected) < 1e-8


@given(small_problems())
def test_factors_carry_every_gradient(problem):
    corpus, _, params = problem
    a, w = attention.gradient_factors(corpus, params)
    gradient = attention.gradients(corpus, params)
    np.testing.assert_allclose(np.outer(a, params.v) + np.outer(w, params.p), gradient.E, atol=1e-15)
    np.testing.assert_allclose(params.E.T @ w, gradient.p, atol=1e-15)
    np.testing.assert_allclose(params.E.T @ a, gradient.v, atol=1e-15)


def exact_p_gradient(corpus, params):
    """DL/dp as a sum over pairs, w_s w_t (gamma_s - gamma_t) (E_s - E_t), which cannot cancel.

    mpmath has no underflow; 60 digits. Returns (unit direction, log norm).
    """
    mpmath.mp.dps = 60
    counts = corpus.counts.toarray()
    z = [mpmath.fdot(map(mpmath.mpf, row), map(mpmath.mpf, params.p)) for row in params.E]
    gamma = [mpmath.fdot(map(mpmath.mpf, row), map(mpmath.mpf, params.v)) for row in params.E]
    total = [mpmath.mpf(0)] * params.d
    for row, y in zip(counts, corpus.labels.tolist(), strict=True):
        tokens = np.flatnonzero(row).tolist()
        weights = [row[s].item() * mpmath.exp(z[s] - max(z[t] for t in tokens)) for s in tokens]
        weights = [w / mpmath.fsum(weights) for w in weights]
        f = mpmath.fdot(weights, [gamma[s] for s in tokens])
        g = 1 / (1 + mpmath.exp(y * f)) / len(counts)
        for (s, ws), (t, wt) in combinations(zip(tokens, weights, strict=True), 2):
            for k in range(params.d):
                difference = mpmath.mpf(params.E[s, k]) - mpmath.mpf(params.E[t, k])
                total[k] -= y * g * ws * wt * (gamma[s] - gamma[t]) * difference
    norm = mpmath.sqrt(mpmath.fsum(x * x for x in total))
    return np.array([float(x / norm) for x in total]), float(mpmath.log(norm))


@pytest.mark.parametrize("norm", [1.0, 30.0, 1e3, 1e6])
def test_direction_of_the_p_gradient_survives_any_norm_of_p(norm):
    rng = np.random.default_rng(4)
    corpus = TokenCounts.from_sequences(rng.integers(6, size=(5, 4)), [1, -1, 1, -1, 1], 6)
    params = attention.initial_parameters(6, 8, rng)
    params = Parameters(params.E, norm * params.p / np.linalg.norm(params.p), params.v)
    direction, log_norm = attention.p_gradient_direction(corpus, params)
    expected, expected_log_norm = exact_p_gradient(corpus, params)
    # rounding the logits alone moves a log weight by eps |p|, hence the tolerance
    assert np.linalg.norm(direction - expected) < 1e-9 + 1e-15 * norm
    assert log_norm == pytest.approx(expected_log_norm, abs=1e-9 + 1e-15 * norm)


def test_huge_p_gives_finite_gradients_and_says_when_they_underflow():
    rng = np.random.default_rng(4)
    corpus = TokenCounts.from_sequences(rng.integers(6, size=(5, 4)), [1, -1, 1, -1, 1], 6)
    params = attention.initial_parameters(6, 8, rng)
    params = Parameters(params.E, 1e6 * params.p / np.linalg.norm(params.p), params.v)
    with pytest.warns(attention.GradientUnderflow, match="use p_gradient_direction"):
        gradient = attention.gradients(corpus, params)
    assert all(np.isfinite(x).all() for x in (gradient.E, gradient.p, gradient.v))
    assert np.isfinite(attention.loss(corpus, params))
    assert np.linalg.norm(gradient.v) > 0


def test_attention_rows_sum_to_one_and_weigh_repetitions():
    corpus = TokenCounts.from_sequences([[0, 0, 1], [1, 2]], [1, -1], 3)
    A = attention.attention_weights(corpus, np.log([1.0, 2.0, 6.0])).toarray()
    np.testing.assert_allclose(A, [[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])


def test_selection_takes_the_largest_logit_and_the_first_of_a_tie():
    corpus = TokenCounts.from_sequences([[0, 0, 0, 1], [2, 1]], [1, -1], 3)
    assert attention.selection(corpus, [0.0, 0.1, 0.1]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"E": np.full((3, 2), np.nan)}, r"E must be finite, got nan at index \(0, 0\)"),
        ({"p": [np.inf, 0.0]}, r"p must be finite, got inf at index \(0,\)"),
        ({"v": [1.0]}, r"v must have shape \(2,\) to fit E, got \(1,\)"),
        ({"E": np.zeros((3, 0))}, r"E must have shape .* got \(3, 0\)"),
        ({"E": [1.0, 2.0]}, r"E must have shape .* got \(2,\)"),
    ],
)
def test_parameters_name_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message):
        Parameters(**{"E": np.zeros((3, 2)), "p": np.zeros(2), "v": np.ones(2), **change})


@pytest.mark.parametrize(("size", "d"), [(3, 0), (0, 3), (3, 2.5), (-1, 2)])
def test_initial_parameters_refuse_empty_sizes(size, d):
    with pytest.raises(ValueError, match="must be a positive integer, got"):
        attention.initial_parameters(size, d, np.random.default_rng(0))


def test_initial_parameters_need_a_generator():
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator, got int"):
        attention.initial_parameters(3, 2, 0)


def test_initial_parameters_have_the_stated_scale():
    params = attention.initial_parameters(200, 400, np.random.default_rng(0))
    assert np.linalg.norm(params.v) == pytest.approx(1.0, abs=1e-12)
    assert params.E.var() == pytest.approx(1 / 400, rel=0.02)
    free = attention.initial_parameters(200, 400, np.random.default_rng(0), unit_v=False)
    assert np.linalg.norm(free.v) != pytest.approx(1.0, abs=1e-6)
    assert np.array_equal(free.E, params.E)


def test_corpus_and_parameters_must_fit():
    corpus = TokenCounts.from_sequences([[0], [1]], [1, -1], 2)
    params = attention.initial_parameters(3, 2, np.random.default_rng(0))
    with pytest.raises(ValueError, match="2 token types but E has 3 rows"):
        attention.forward(corpus, params)
