"""Joint training of E and p by full-batch Adam, v fixed: what is done in practice after one step.

The gradients are the exact ones of `model`; the optimiser is torch's Adam, fed with them.
"""

from dataclasses import dataclass

import numpy as np

from .model import forward, gradients
from .parameters import Parameters, check_fit, positive_step


@dataclass(frozen=True)
class TrainingPath:
    """Losses and accuracies along training, with the parameters kept at chosen steps.

    steps : (m,) int, steps at which the rest was recorded, from 0
    train_loss, train_accuracy : (m,)
    validation_loss, validation_accuracy : (m,), nan without a validation corpus
    kept : dict from step to Parameters
    best_step : int, the recorded step of highest validation accuracy (the first, in a tie);
        of lowest training loss without a validation corpus
    """

    steps: np.ndarray
    train_loss: np.ndarray
    train_accuracy: np.ndarray
    validation_loss: np.ndarray
    validation_accuracy: np.ndarray
    kept: dict
    best_step: int


def train(corpus, params, steps, learning_rate=0.01, validation=None, record_every=1, keep=()):
    """Train E and p by `steps` full-batch Adam steps on the logistic loss, v fixed.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, the start
    steps : int >= 1
    learning_rate : float > 0
    validation : TokenCounts over the same vocabulary, optional; only measured
    record_every : int >= 1, steps between two measurements; the last step is always measured
    keep : steps at which the parameters are kept (each costs |S| d numbers of memory)

    Returns
    -------
    TrainingPath; `kept` also holds the parameters of the last step and of the best recorded one.

    Raises
    ------
    ValueError
        If a number is out of range, a corpus does not fit, or a step to keep is never reached.
    FloatingPointError
        If the loss stops being finite; the message names the step and the learning rate.
    """
    learning_rate = positive_step(learning_rate)
    _check(corpus, params, steps, validation, record_every, keep)
    recorder = _Recorder(corpus, validation)
    recorder.record(0, params, learning_rate)
    kept = {0: params} if 0 in keep else {}
    for step, current in enumerate(_adam(corpus, params, steps, learning_rate), start=1):
        if step % record_every == 0 or step == steps:
            recorder.record(step, current(), learning_rate)
        if step in keep or step == steps:
            kept[step] = current()
    return recorder.path({**kept, recorder.best_step: recorder.best})


def accuracy(corpus, params):
    """Share of sequences whose output has the sign of the label, in [0, 1]; f = 0 counts as wrong."""
    return float((corpus.labels * forward(corpus, params) > 0).mean())


def _adam(corpus, params, steps, learning_rate):
    """Yield, after every step, a function that copies the current parameters out of torch."""
    import torch

    E, p = torch.tensor(params.E), torch.tensor(params.p)
    optimiser = torch.optim.Adam([E, p], lr=learning_rate)
    for _ in range(steps):
        gradient = gradients(corpus, Parameters(E.numpy(), p.numpy(), params.v))
        E.grad, p.grad = torch.from_numpy(gradient.E), torch.from_numpy(gradient.p)
        optimiser.step()
        yield lambda: Parameters(E.numpy().copy(), p.numpy().copy(), params.v)


class _Recorder:
    """Measurements so far and the best parameters among them."""

    def __init__(self, corpus, validation):
        self.corpora, self.rows = [corpus, validation], []
        self.best, self.best_step, self._best_score = None, 0, -np.inf

    def record(self, step, params, learning_rate):
        train_loss, train_accuracy = _measure(self.corpora[0], params)
        if not np.isfinite(train_loss):
            raise FloatingPointError(
                f"the loss is {train_loss} at step {step}, learning rate {learning_rate}"
            )
        validation = (np.nan, np.nan) if self.corpora[1] is None else _measure(self.corpora[1], params)
        self.rows.append((step, train_loss, train_accuracy, *validation))
        score = -train_loss if self.corpora[1] is None else validation[1]
        if score > self._best_score:
            self.best, self.best_step, self._best_score = params, step, score

    def path(self, kept):
        columns = [np.array(column) for column in zip(*self.rows, strict=True)]
        return TrainingPath(*columns, kept=dict(sorted(kept.items())), best_step=self.best_step)


def _measure(corpus, params):
    signed = corpus.labels * forward(corpus, params)
    return float(np.logaddexp(0.0, -signed).mean()), float((signed > 0).mean())


def _check(corpus, params, steps, validation, record_every, keep):
    for name, value in (("steps", steps), ("record_every", record_every)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a positive integer, got {value!r}")
    check_fit(corpus, params)
    if validation is not None:
        check_fit(validation, params)
    if any(step < 0 or step > steps for step in keep):
        raise ValueError(f"keep names step {next(s for s in keep if s < 0 or s > steps)} of 0..{steps}")
