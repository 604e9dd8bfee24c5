"""The label race: an exact reduction of the full model, its amplification law, its late times."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsel_lib.attention import gradient_flow, gradients
from attnsel_lib.attention.race import (
    RaceSize,
    amplification,
    label_race,
    noise_free_model,
    race_attention,
    race_log_force,
    race_velocity,
)

sizes = st.builds(RaceSize, st.integers(1, 4), st.integers(3, 9), st.integers(2, 4))
gaps = st.tuples(st.floats(-3, 3), st.floats(-3, 3))


def gaps_of(logits, size):
    important = logits[..., [0, size.per_label]]
    return important - logits[..., [2 * size.per_label]]


@given(size=sizes, start=gaps, c=st.floats(0.05, 6))
@settings(max_examples=60, deadline=None)
def test_the_velocity_is_that_of_the_full_model(size, start, c):
    corpus, params = noise_free_model(c, start, size)
    full = params.E @ -gradients(corpus, params).p
    np.testing.assert_allclose(race_velocity(0.0, np.array(start), c, size), gaps_of(full, size), atol=1e-13)


@pytest.mark.parametrize("c", [0.5, 2.4])
def test_the_path_is_that_of_the_full_model(c):
    log_t = [0.0, 4.0, 9.0]
    corpus, params = noise_free_model(c, (0.05, -0.05))
    full = gradient_flow(corpus, params, log_t, rtol=1e-9, atol=1e-11)
    race = label_race(c, (0.05, -0.05), log_t)
    np.testing.assert_allclose(race.gaps, gaps_of(full.logits, RaceSize()), atol=1e-6)
    first = full.selected_attention[:, corpus.labels == 1].mean(axis=1)
    np.testing.assert_allclose(race.attention[1:, 0], first[1:], atol=1e-6)


def test_a_small_difference_is_amplified_as_predicted():
    path = label_race(1.0, (5e-7, -5e-7), np.linspace(-4, 5, 60))
    common, difference = path.gaps.mean(axis=1), path.gaps[:, 0] - path.gaps[:, 1]
    assert difference.max() > 1e-5
    np.testing.assert_allclose(difference / 1e-6, amplification(common, 0.0, 1.0), rtol=1e-2)


def test_without_noise_the_loser_recovers_after_a_plateau():
    path = label_race(2.4, (0.05, -0.05), [8.0, 10.0, 40.0, 10_000.0])
    assert path.attention[1, 1] < 1e-5 < 0.99 < path.attention[1, 0]
    assert path.attention[2:].min() > 1 - 1e-6
    assert path.gaps[-1, 0] - path.gaps[-2, 0] == pytest.approx(9960, rel=1e-6)


def test_exchanging_the_labels_exchanges_the_gaps():
    path, mirrored = (label_race(1.2, start, [3.0, 6.0]) for start in [(0.3, -0.1), (-0.1, 0.3)])
    np.testing.assert_allclose(path.gaps, mirrored.gaps[:, ::-1], atol=1e-9)


def test_the_force_is_finite_at_any_gap_and_matches_its_formula():
    a = race_attention(0.7)
    assert np.exp(race_log_force(0.7, 1.3)) == pytest.approx(1.3 * a * (1 - a) / (1 + np.exp(1.3 * a)))
    assert np.isfinite(race_log_force([-1e4, 1e4], 1.3)).all()


@pytest.mark.parametrize(
    ("c", "start", "log_t", "size", "message"),
    [
        (0.0, (0, 0), [1.0], RaceSize(), "c must be finite and positive, got 0.0"),
        (1.0, (0, np.nan), [1.0], RaceSize(), "gaps must be two finite numbers"),
        (1.0, (0, 0), [2.0, 1.0], RaceSize(), "log_t must be finite and increase"),
        (1.0, (0, 0), [1.0], RaceSize(4, 3, 8), "2 <= T <= M \\+ 1"),
    ],
)
def test_impossible_input_is_refused(c, start, log_t, size, message):
    with pytest.raises(ValueError, match=message):
        label_race(c, start, log_t, size)
