"""Second-order asymptotics: against the integrated flow at t = e^10000, and its certificates."""

import numpy as np
import pytest

from attnsel_lib import attention
from attnsel_lib.attention.synthetic import one_important_token
from attnsel_lib.corpus import TokenCounts


@pytest.fixture(scope="module", params=[0, 1, 2])
def late_flow(request):
    rng = np.random.default_rng(request.param)
    data = one_important_token(rng)
    params = attention.initial_parameters(data.corpus.n_tokens, 4096, rng)
    params = attention.embedding_step(data.corpus, params, attention.step_for_alignment(data.corpus, 0.6))
    log_t = [40.0, 50.0, 60.0, 70.0, 10_000.0]
    path = attention.gradient_flow(data.corpus, params, log_t, rtol=1e-10, atol=1e-12)
    return path, attention.asymptotics(data.corpus, params, path.selected)


def remainders(path, late):
    predicted = np.outer(path.log_t, late.p_mm) + late.rho
    return np.linalg.norm(path.p - predicted, axis=1)


def test_the_flow_at_e_to_the_10000_is_predicted(late_flow):
    path, late = late_flow
    assert late.undetermined == 0
    assert np.linalg.norm(path.p[-1]) > 20_000
    assert remainders(path, late)[-1] < 1e-6


def test_the_remainder_decays_at_the_predicted_rate(late_flow):
    path, late = late_flow
    rates = -np.diff(np.log(remainders(path, late)[:4])) / 10
    assert (rates > late.rate).all()
    assert (rates < 1.25 * late.rate).all()
    assert (np.diff(rates) < 0).all()


def test_the_flow_selects_multipliers_of_the_max_margin_problem(late_flow):
    _, late = late_flow
    assert late.kkt_residual < 1e-8
    assert (late.multipliers > 0).all()


def test_a_selection_the_loss_does_not_want_is_refused():
    corpus = TokenCounts.from_sequences([[0, 2], [1, 2]], [1, -1], 3)
    params = attention.Parameters(np.eye(3), np.zeros(3), [1.0, -1.0, 0.0])
    right = attention.asymptotics(corpus, params, np.array([0, 1]))
    assert right.rate > 0
    with pytest.raises(ValueError, match=r"support pair \(2, [01]\) has weight -.* wrong sign"):
        attention.asymptotics(corpus, params, np.array([2, 2]))


def test_a_pair_just_off_the_support_slows_the_remainder_down():
    # its margin is 1.1, so it leaves a term t^-0.1 although the eigenvalue is one
    corpus = TokenCounts.from_sequences([[0, 1, 2], [3, 4]], [1, -1], 5)
    E = [[1, 0], [0, 0], [-0.1, 0], [0, 1], [0, 0]]
    params = attention.Parameters(E, np.zeros(2), [1.0, -1.0])
    path = attention.gradient_flow(corpus, params, [40.0, 60.0], rtol=1e-10, atol=1e-12)
    late = attention.asymptotics(corpus, params, path.selected)
    assert late.rate == pytest.approx(1.0, abs=1e-9)
    rate = -np.diff(np.log(remainders(path, late))).item() / 20
    assert rate == pytest.approx(0.1, abs=0.01)


def test_repeated_tokens_enter_by_their_odds():
    once = TokenCounts.from_sequences([[0, 2], [1, 2]], [1, -1], 3)
    thrice = TokenCounts.from_sequences([[0, 2, 2, 2], [1, 2, 2, 2]], [1, -1], 3)
    params = attention.Parameters(np.eye(3), np.zeros(3), [1.0, -1.0, 0.0])
    selected = np.array([0, 1])
    shift = [attention.asymptotics(corpus, params, selected).rho for corpus in (once, thrice)]
    gaps = [rho[0] - rho[2] for rho in shift]
    assert gaps[1] - gaps[0] == pytest.approx(np.log(3), abs=1e-10)
