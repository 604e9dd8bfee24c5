"""Gradient flow on p: against an independent integrator, and its limits in the common setting."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import solve_ivp

from attnsel_lib import attention
from attnsel_lib.attention import Parameters
from attnsel_lib.attention.flow import _Field
from attnsel_lib.attention.synthetic import one_important_token
from attnsel_lib.corpus import TokenCounts

from .conftest import angle, small_problems


@settings(max_examples=25)
@given(small_problems())
def test_flow_equals_plain_integration_in_time(problem):
    corpus, _, params = problem

    def velocity(t, p):
        return -attention.gradients(corpus, Parameters(params.E, p, params.v)).p

    plain = solve_ivp(velocity, (0, np.exp(3)), params.p, "DOP853", rtol=1e-10, atol=1e-12)
    path = attention.gradient_flow(corpus, params, [0.0, 3.0], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(path.p[-1], plain.y[:, -1], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(path.logits, path.p @ params.E.T, atol=1e-9)


@settings(max_examples=25)
@given(small_problems())
def test_jacobian_equals_finite_differences(problem):
    corpus, _, params = problem
    field = _Field(corpus, params)
    x, h = np.random.default_rng(0).normal(size=field.dimension), 1e-5
    columns = [
        (field.velocity(1.0, x + h * e) - field.velocity(1.0, x - h * e)) / (2 * h)
        for e in np.eye(field.dimension)
    ]
    np.testing.assert_allclose(field.jacobian(1.0, x), np.transpose(columns), atol=1e-6)


def test_every_sequence_selects_its_important_token(common_setting, long_flow):
    data, _ = common_setting
    path, _, _ = long_flow
    assert np.array_equal(path.selected, data.important)
    assert path.selected_attention[-1].min() == 1.0


def test_direction_converges_to_the_max_margin_vector_like_one_over_log_t(long_flow):
    path, solution, _ = long_flow
    angles = np.array([angle(p, solution.p) for p in path.p])
    scaled = dict(zip(path.log_t, angles * path.log_t, strict=True))
    assert np.cos(angles[path.log_t == 100.0]).item() > 0.9999
    assert scaled[10_000.0] == pytest.approx(scaled[3000.0], rel=1e-3)


def test_loss_gap_times_t_tends_to_the_squared_norm(long_flow):
    path, solution, _ = long_flow
    at_20 = path.log_t == 20.0
    assert path.time_times_loss_gap[at_20].item() == pytest.approx(solution.norm**2, abs=1e-3)
    assert path.loss_gap[at_20].item() * np.exp(20) == pytest.approx(solution.norm**2, abs=1e-3)
    assert path.time_times_loss_gap[-1] == pytest.approx(solution.norm**2, rel=1e-8)
    assert path.loss_gap[-1] == 0.0  # e^-10000 is no float64: why the scaled gap exists


def test_norm_and_support_gaps_grow_like_log_t(long_flow):
    path, solution, pairs = long_flow
    s, t = pairs[solution.support].T
    gaps = path.logits[:, s] - path.logits[:, t]
    slopes = (gaps[-1] - gaps[-2]) / (path.log_t[-1] - path.log_t[-2])
    np.testing.assert_allclose(slopes, 1.0, atol=1e-8)
    growth = np.diff(np.linalg.norm(path.p[-2:], axis=1)) / np.diff(path.log_t[-2:])
    assert growth.item() == pytest.approx(solution.norm, rel=1e-5)


def test_inattention_decays_like_one_over_t(long_flow):
    path, _, _ = long_flow
    log_scaled = path.log_inattention + path.log_t[:, None]
    at = {tau: log_scaled[path.log_t == tau][0] for tau in (16.0, 32.0)}
    np.testing.assert_allclose(np.exp(at[16.0] - at[32.0]), 1.0, atol=0.01)


def test_path_does_not_depend_on_the_dimension_it_cannot_see(common_setting):
    data, params = common_setting
    basis = np.linalg.qr(params.E.T)[0]
    small = Parameters(params.E @ basis, params.p @ basis, params.v @ basis)
    large_path = attention.gradient_flow(data.corpus, params, [10.0, 50.0])
    small_path = attention.gradient_flow(data.corpus, small, [10.0, 50.0])
    np.testing.assert_allclose(large_path.logits, small_path.logits, atol=1e-4)


def test_fewer_dimensions_than_tokens_are_integrated_too():
    rng = np.random.default_rng(3)
    data = one_important_token(rng)
    params = attention.initial_parameters(data.corpus.n_tokens, 5, rng)
    path = attention.gradient_flow(data.corpus, params, [0.0, 2.0, 5.0])
    loss = [attention.loss(data.corpus, Parameters(params.E, p, params.v)) for p in path.p]
    assert loss[0] > loss[1] > loss[2]


def test_one_token_per_sequence_has_nothing_to_choose():
    corpus = TokenCounts.from_sequences([[0, 0], [1]], [1, -1], 2)
    params = attention.initial_parameters(2, 3, np.random.default_rng(0))
    path = attention.gradient_flow(corpus, params, [1.0, 100.0])
    np.testing.assert_array_equal(path.p, [params.p, params.p])
    assert path.loss_gap.tolist() == [0.0, 0.0]


def test_an_integrator_that_stops_is_an_error(common_setting, monkeypatch):
    data, params = common_setting
    monkeypatch.setattr(_Field, "velocity", lambda self, tau, x: 1 + x**2)  # blows up in finite time
    monkeypatch.setattr(_Field, "jacobian", lambda self, tau, x: np.diag(2 * x))
    with pytest.raises(RuntimeError, match=r"gradient flow stopped after log t = .* of 300: Required step"):
        attention.gradient_flow(data.corpus, params, [-15.9, 300.0])


def test_a_flow_that_crawls_is_given_up(common_setting):
    data, params = common_setting
    with pytest.raises(RuntimeError, match="gradient flow crawls: no evaluations left at log t"):
        attention.gradient_flow(data.corpus, params, [300.0], max_evaluations=50)


@pytest.mark.parametrize(("name", "value"), [("rtol", np.nan), ("rtol", -1.0), ("atol", 0.0)])
def test_tolerances_must_be_positive(common_setting, name, value):
    data, params = common_setting
    with pytest.raises(ValueError, match=f"{name} must be positive and finite, got"):
        attention.gradient_flow(data.corpus, params, [3.0], **{name: value})


def test_a_path_that_climbs_is_an_error(common_setting, monkeypatch):
    data, params = common_setting
    right = _Field.velocity
    monkeypatch.setattr(_Field, "velocity", lambda self, tau, x: -right(self, tau, x))
    monkeypatch.setattr(_Field, "jacobian", lambda self, tau, x: np.zeros((self.dimension,) * 2))
    with pytest.raises(RuntimeError, match=r"the loss rises by .* wrong path"):
        attention.gradient_flow(data.corpus, params, [0.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("log_t", "message"),
    [
        ([], "non-empty"),
        ([1.0, np.nan], "log_t must be finite, got nan"),
        ([1.0, np.inf], "log_t must be finite, got inf"),
        ([2.0, 1.0], "log_t must increase, got 2 followed by 1"),
        ([1.0, 1.0], "log_t must increase, got 1 followed by 1"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
    ],
)
def test_times_must_increase(common_setting, log_t, message):
    data, params = common_setting
    with pytest.raises(ValueError, match=message):
        attention.gradient_flow(data.corpus, params, log_t)
