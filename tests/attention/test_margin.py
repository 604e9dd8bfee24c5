"""Max margin: against a second solver and the closed form, certificate, infeasible and bad input."""

import daqp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsel_lib import attention
from attnsel_lib.attention import margin
from attnsel_lib.corpus import TokenCounts


def second_solver(E, pairs):
    """DAQP, a dual active-set method, on the problem in all d coordinates: (p, |p|^2)."""
    A = E[pairs[:, 0]] - E[pairs[:, 1]]
    p, value, flag, _ = daqp.solve(
        np.eye(E.shape[1]), np.zeros(E.shape[1]), A, np.full(len(A), 1e30), np.ones(len(A)),
        np.zeros(len(A), dtype=np.int32),
    )  # fmt: skip
    assert flag == 1
    return p, 2 * value


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 6), st.integers(0, 6))
def test_solution_equals_that_of_an_independent_solver(seed, winners, losers, extra):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(winners + losers, winners + losers + extra))
    pairs = np.array([(s, t) for s in range(winners) for t in range(winners, winners + losers)])
    solution = attention.max_margin(E, pairs)
    p, norm_squared = second_solver(E, pairs)
    np.testing.assert_allclose(solution.p, p, atol=1e-6 * solution.norm)
    assert solution.norm**2 == pytest.approx(norm_squared, rel=1e-8)
    gaps = (E[pairs[:, 0]] - E[pairs[:, 1]]) @ solution.p
    assert gaps.min() >= 1 - 1e-9
    np.testing.assert_array_equal(solution.support, gaps - 1 < 1e-6)
    assert solution.margin == pytest.approx(1 / solution.norm)


@settings(max_examples=60)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6), st.integers(1, 8))
def test_closed_form_equals_the_solver_where_it_is_valid(c, n_irrelevant):
    c = np.array(c)
    K = len(c)
    E = np.eye(K + n_irrelevant, K + n_irrelevant + 1)
    E[:K, -1] = c
    pairs = np.array([(s, t) for s in range(K) for t in range(K, K + n_irrelevant)])
    closed = attention.closed_form_margin(c, n_irrelevant)
    solution = attention.max_margin(E, pairs)
    if closed.valid:
        assert solution.norm**2 == pytest.approx(closed.norm_squared, rel=1e-6)
        expected = np.append(
            np.full(K, closed.important_logit), np.full(n_irrelevant, closed.irrelevant_logit)
        )
        np.testing.assert_allclose(E @ solution.p, expected, atol=1e-5)
        assert solution.p[-1] == pytest.approx(closed.v_component, abs=1e-5)
    else:
        # closed form with all constraints tight: no longer optimal
        assert solution.norm**2 < closed.norm_squared + 1e-9


def test_balanced_alignment_leaves_no_component_along_v():
    closed = attention.closed_form_margin([0.6] * 4 + [-0.6] * 4, 24)
    assert closed.norm_squared == pytest.approx(6.0, abs=1e-12)
    assert closed.v_component == 0.0
    assert closed == attention.closed_form_margin([4.0] * 4 + [-4.0] * 4, 24)


def test_certificate_is_computed_from_the_answer(monkeypatch):
    E, pairs = np.eye(3), np.array([[0, 1], [0, 2]])
    right = margin._solve

    def slightly_wrong(differences):
        x, multipliers, status = right(differences)
        return x, multipliers * [1 + 1e-6, 1], status

    monkeypatch.setattr(margin, "_solve", slightly_wrong)
    with pytest.raises(RuntimeError, match=r"not certified .*Solved"):
        attention.max_margin(E, pairs)


def test_residuals_are_small_at_any_scale_of_the_embeddings(common_setting, long_flow):
    _, params = common_setting
    _, solution, pairs = long_flow
    for scale in (1e-3, 1e3):
        scaled = attention.max_margin(scale * params.E, pairs)
        assert scaled.norm == pytest.approx(solution.norm / scale, rel=1e-9)
        assert max(scaled.kkt_residual, scaled.duality_gap) < 1e-8


def test_infeasible_pairs_are_named():
    with pytest.raises(ValueError, match=r"no vector separates the pairs: .* \(0, 1\), \(1, 0\) cancel"):
        attention.max_margin(np.eye(3), np.array([[0, 1], [1, 0], [0, 2]]))


def test_a_token_between_two_others_cannot_win():
    E = np.array([[0.0], [1.0], [-1.0]])
    with pytest.raises(ValueError, match=r"\(0, 1\), \(0, 2\) cancel"):
        attention.max_margin(E, np.array([[0, 1], [0, 2]]))


@pytest.mark.parametrize(
    ("E", "pairs", "message"),
    [
        (np.eye(2), np.zeros((0, 2), int), "pairs is empty"),
        (np.eye(2), [[0, 2]], "pairs name token 2, but E has rows 0 to 1"),
        (np.eye(2), [[-1, 0]], "pairs name token -1"),
        (np.eye(2), [[1, 1]], "token 1 is paired with itself"),
        (np.eye(2), [[0.0, 1.0]], "pairs must be integers .* float64"),
        (np.eye(2), [0, 1], r"pairs must be integers of shape \(m, 2\)"),
        ([[np.nan, 1.0], [0.0, 1.0]], [[0, 1]], "E must be finite, token 0 is not"),
        ([1.0, 2.0], [[0, 1]], r"E must have shape"),
        (np.ones((2, 3)), [[0, 1]], "cancel"),
    ],
)
def test_bad_input_is_named(E, pairs, message):
    with pytest.raises(ValueError, match=message):
        attention.max_margin(E, pairs)


def test_selection_pairs_are_distinct_and_complete():
    corpus = TokenCounts.from_sequences([[0, 0, 2], [1, 2, 3], [0, 2]], [1, -1, 1], 4)
    assert attention.selection_pairs(corpus, np.array([0, 1, 0])).tolist() == [[0, 2], [1, 2], [1, 3]]
    single = TokenCounts.from_sequences([[0], [1]], [1, -1], 2)
    assert attention.selection_pairs(single, np.array([0, 1])).shape == (0, 2)


@pytest.mark.parametrize(
    ("selected", "message"),
    [([1, 1], "token 1 is selected in sequence 0"), ([0], "selected must be 2"), ([0.0, 1.0], "float64")],
)
def test_selected_tokens_must_occur(selected, message):
    corpus = TokenCounts.from_sequences([[0, 2], [1, 2]], [1, -1], 3)
    with pytest.raises(ValueError, match=message):
        attention.selection_pairs(corpus, np.array(selected))


@pytest.mark.parametrize(
    ("c", "m", "message"), [([], 3, "non-empty"), ([np.nan], 3, "finite"), ([1.0], 0, "at least 1, got 0")]
)
def test_closed_form_refuses_bad_sizes(c, m, message):
    with pytest.raises(ValueError, match=message):
        attention.closed_form_margin(c, m)
