"""Joint training of E and p, the quadratic fit and the synthetic data."""

import numpy as np
import pytest
import torch

from attnsel_lib import attention
from attnsel_lib.attention import training
from attnsel_lib.attention.synthetic import one_important_token


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    corpus = one_important_token(rng).corpus
    return corpus, attention.initial_parameters(corpus.n_tokens, 16, rng)


def test_training_equals_torch_autograd_and_adam(problem):
    corpus, params = problem
    path = attention.train(corpus, params, steps=3, learning_rate=0.05)
    E, p = (torch.tensor(x, requires_grad=True) for x in (params.E, params.p))
    optimiser = torch.optim.Adam([E, p], lr=0.05)
    counts, y = torch.tensor(corpus.counts.toarray()), torch.tensor(corpus.labels)
    for _ in range(3):
        optimiser.zero_grad()
        weights = counts * torch.exp(E @ p)
        f = weights @ (E @ torch.tensor(params.v)) / weights.sum(1)
        torch.nn.functional.softplus(-y * f).mean().backward()
        optimiser.step()
    np.testing.assert_allclose(path.kept[3].E, E.detach(), atol=1e-7)
    np.testing.assert_allclose(path.kept[3].p, p.detach(), atol=1e-7)
    np.testing.assert_array_equal(path.kept[3].v, params.v)


def test_training_records_keeps_and_learns(problem):
    corpus, params = problem
    train, validation = corpus.subset(np.arange(32)), corpus.subset(np.arange(32, 64))
    path = attention.train(train, params, 30, 0.05, validation=validation, record_every=7, keep=(0, 14))
    assert path.steps.tolist() == [0, 7, 14, 21, 28, 30]
    assert {0, 14, 30, path.best_step} == set(path.kept)
    assert path.train_loss[-1] < path.train_loss[0] / 2
    k = path.steps.tolist().index(path.best_step)
    assert path.validation_accuracy[k] == path.validation_accuracy.max()
    assert attention.accuracy(validation, path.kept[path.best_step]) == path.validation_accuracy[k]
    assert attention.loss(train, path.kept[14]) == pytest.approx(path.train_loss[2], abs=1e-15)


def test_training_does_not_touch_its_start(problem):
    corpus, params = problem
    before = params.E.copy(), params.p.copy()
    attention.train(corpus, params, 2)
    assert np.array_equal(params.E, before[0])
    assert np.array_equal(params.p, before[1])


def test_without_validation_the_best_step_has_the_lowest_loss(problem):
    corpus, params = problem
    path = attention.train(corpus, params, 5)
    assert path.best_step == path.steps[np.argmin(path.train_loss)]
    assert np.isnan(path.validation_accuracy).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps must be a positive integer, got 0"),
        ({"steps": 2, "learning_rate": -1}, "eta must be finite and positive, got -1"),
        ({"steps": 2, "record_every": 0}, "record_every must be a positive integer"),
        ({"steps": 2, "keep": (0, 9)}, r"keep names step 9 of 0..2"),
    ],
)
def test_training_refuses_bad_numbers(problem, arguments, message):
    corpus, params = problem
    with pytest.raises(ValueError, match=message):
        attention.train(corpus, params, **arguments)


def test_a_loss_that_is_not_finite_stops_training(problem, monkeypatch):
    corpus, params = problem
    monkeypatch.setattr(training, "_measure", lambda corpus, params: (np.nan, np.nan))
    with pytest.raises(FloatingPointError, match=r"the loss is nan at step 0, learning rate 0.01"):
        attention.train(corpus, params, 2)


def test_quadratic_fit_recovers_a_parabola():
    x = np.linspace(-1, 1, 50)
    fit = attention.quadratic_fit(x, 1 - 2 * x + 3 * x**2)
    np.testing.assert_allclose(fit, (1, -2, 3, 1), atol=1e-12)
    noise = np.random.default_rng(0).normal(size=50)
    assert attention.quadratic_fit(x, noise).r_squared < 0.3


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0], "vectors of one length"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "at least 4 points, got 3"),
        ([1.0, 2.0, 3.0, np.nan], [1.0, 2.0, 3.0, 4.0], "finite"),
        ([1.0, 2.0, 3.0, 4.0], [2.0] * 4, "constant"),
    ],
)
def test_quadratic_fit_refuses_bad_points(x, y, message):
    with pytest.raises(ValueError, match=message):
        attention.quadratic_fit(x, y)


def test_synthetic_sequences_hold_one_important_token():
    data = one_important_token(np.random.default_rng(1), n=40, length=6, positive=3, negative=2, irrelevant=9)
    counts = data.corpus.counts.toarray()
    assert counts.shape == (40, 14)
    assert (counts[:, :5].sum(axis=1) == 1).all()
    assert (counts.sum(axis=1) == 6).all()
    assert counts.max() == 1
    assert np.array_equal(counts[:, :5].argmax(axis=1), data.important)
    assert np.array_equal(data.corpus.labels > 0, data.important < 3)
    assert np.array_equal(data.corpus.posterior_difference(), [1] * 3 + [-1] * 2 + [0] * 9)
    free = one_important_token(np.random.default_rng(1), paired=False).corpus.signed_frequency()
    assert np.abs(free[8:]).max() > 0


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": 3}, "n must be even and at least 2, .* got 3"),
        ({"length": 1}, "length must be at least 2, .* got 1"),
        ({"positive": 0}, "at least 1, got 0 and 4"),
        ({"irrelevant": 3}, "at least length - 1 = 7, got 3"),
    ],
)
def test_synthetic_data_refuse_bad_sizes(sizes, message):
    with pytest.raises(ValueError, match=message):
        one_important_token(np.random.default_rng(0), **sizes)
