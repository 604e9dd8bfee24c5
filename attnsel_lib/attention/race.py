"""The label race: the flow on p reduced to two variables, one logit gap per label.

With k important tokens per label at E_s = e_s +- c v, M irrelevant tokens E_t = e_t, orthonormal e and v,
and sequences of one important and T - 1 irrelevant tokens that cover all pairs evenly, all sequences of
a label keep one common gap x between the logits of their important token and of their other tokens:

    x_+' = h(x_+)/(2k) + (h(x_+) + h(x_-))/(2M) + (c^2/2) (h(x_+) - h(x_-)),      x_-' likewise with - (c^2/2)
    h(x) = c a (1 - a) sigma(-c a),      a = sigma(x - log(T - 1))

The last term is the coupling through v: what one label gains along v, the other loses.
Source: derived in the chapter `when_it_fails` of the book.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import expit, log_expit

from ..corpus import TokenCounts
from .parameters import Parameters

START_LOG_T = -16.0  # the race is linear in t before: h is at most c / 4
RTOL, ATOL = 1e-11, 1e-13  # of the integrator: the race is an exact reduction and is used as one


class RaceSize(NamedTuple):
    """Sizes of the race: k important tokens per label, M irrelevant ones, sequences of length T."""

    per_label: int = 4
    irrelevant: int = 24
    length: int = 8


COMMON = RaceSize()  # of the common setting of the book


class RacePath(NamedTuple):
    """The race at m times.

    log_t : (m,);  gaps : (m, 2) logit gaps x_+ and x_-;  attention : (m, 2) on the important token
    """

    log_t: np.ndarray
    gaps: np.ndarray
    attention: np.ndarray


def race_attention(x, size=COMMON):
    """Attention a = sigma(x - log(T - 1)) on the important token at logit gap x, in (0, 1)."""
    return expit(np.asarray(x, float) - np.log(size.length - 1))


def race_log_force(x, c, size=COMMON):
    """Log of the force h(x) = c a (1 - a) sigma(-c a), finite at any gap.

    Parameters
    ----------
    x : float or array, logit gap
    c : float > 0, alignment of the important tokens with v, a unit vector
    size : RaceSize

    Returns
    -------
    float or array of the shape of x; h is at most c / 4
    """
    shifted = np.asarray(x, float) - np.log(size.length - 1)
    return np.log(c) + log_expit(shifted) + log_expit(-shifted) + log_expit(-c * expit(shifted))


def label_race(c, gaps, log_t, size=COMMON):
    """Integrate the race from two gaps at t = 0.

    Parameters
    ----------
    c : float > 0, alignment with the unit vector v
    gaps : (2,) float, x_+ and x_- at the start
    log_t : (m,) strictly increasing natural logarithms of the times wanted
    size : RaceSize

    Returns
    -------
    RacePath

    Raises
    ------
    ValueError
        If c is not positive or finite, a size is out of range, gaps are not two finite numbers, or
        log_t does not increase.
    RuntimeError
        If the integrator stops early; the message carries the time.
    """
    c, start, times = _checked(c, gaps, log_t, size)
    clock = (min(START_LOG_T - np.log1p(c**2), times[0] - 1), times[-1])
    solution = solve_ivp(
        race_velocity, clock, start, method="LSODA", t_eval=times, args=(c, size), rtol=RTOL, atol=ATOL
    )
    if not solution.success:
        raise RuntimeError(f"the label race stopped before log t = {times[-1]:g}: {solution.message}")
    return RacePath(times, solution.y.T, race_attention(solution.y.T, size))


def race_velocity(tau, gaps, c, size):
    """Dx/dtau of both gaps at log time tau, the exponent tau + log h formed first, (2,)."""
    forces = np.exp(tau + race_log_force(gaps, c, size))
    along_v = c**2 / 2 * (forces[0] - forces[1])
    return forces / (2 * size.per_label) + forces.sum() / (2 * size.irrelevant) + [along_v, -along_v]


def amplification_exponent(c, size=COMMON):
    """Exponent r = (1 + K c^2) / (1 + K/M) of the amplification, K = 2k important tokens."""
    K = 2 * size.per_label
    return (1 + K * c**2) / (1 + K / size.irrelevant)


def amplification(x, start, c, size=COMMON):
    """How much a small difference x_+ - x_- has grown when the common gap has gone from start to x.

        delta(x) / delta(start) = (h(x) / h(start))^r,      r = (1 + K c^2) / (1 + K/M)

    Parameters
    ----------
    x, start : float or array, common logit gap now and at the start
    c : float > 0
    size : RaceSize

    Returns
    -------
    float or array > 0; exact for an infinitesimal difference. The exponent grows like c^2 while
    max h / h(start) falls with c: the wrong selection appears, and disappears again, in between.
    """
    growth = race_log_force(x, c, size) - race_log_force(start, c, size)
    return np.exp(amplification_exponent(c, size) * growth)


def noise_free_model(c, gaps, size=COMMON):
    """The full model of which the race is the reduction.

    Parameters
    ----------
    c : float > 0;  gaps : (2,) x_+ and x_- at the start;  size : RaceSize

    Returns
    -------
    corpus : TokenCounts
        Each important token with every cyclic window of T - 1 irrelevant tokens, 2 k M sequences.
    params : Parameters
        Rows e_s + c_s v, (|S|, |S| + 1), v the last axis; the logits of the irrelevant tokens are 0.

    Raises
    ------
    ValueError
        As `label_race`.
    """
    c, start, _ = _checked(c, gaps, [0.0], size)
    k, M, window = size.per_label, size.irrelevant, np.arange(size.length - 1)
    important, first = (grid.ravel() for grid in np.divmod(np.arange(2 * k * M), M))
    others = 2 * k + (first[:, None] + window) % M
    labels = np.where(important < k, 1, -1)
    corpus = TokenCounts.from_sequences(np.column_stack([important, others]), labels, 2 * k + M)
    sign = np.repeat([1.0, -1.0, 0.0], [k, k, M])
    logits = np.repeat([*start, 0.0], [k, k, M])
    E = np.column_stack([np.eye(2 * k + M), c * sign])
    v = np.zeros(2 * k + M + 1)
    v[-1] = 1.0
    return corpus, Parameters(E, np.append(logits, 0.0), v)


def _checked(c, gaps, log_t, size):
    if not np.isscalar(c) or not np.isfinite(c) or c <= 0:
        raise ValueError(f"c must be finite and positive, got {c!r}")
    if size.per_label < 1 or not 1 <= size.length - 1 <= size.irrelevant:
        raise ValueError(f"the race needs k >= 1 and 2 <= T <= M + 1, got {size}")
    start, times = np.asarray(gaps, float), np.atleast_1d(np.asarray(log_t, float))
    if start.shape != (2,) or not np.isfinite(start).all():
        raise ValueError(f"gaps must be two finite numbers, got {gaps!r}")
    if times.size == 0 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ValueError(f"log_t must be finite and increase, got {log_t!r}")
    return float(c), start, times
