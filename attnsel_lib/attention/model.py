"""The one-layer softmax attention classifier: outputs, loss and exact gradients.

    f(X; p, E) = softmax(p^T E_X^T) E_X v,      L = (1/n) sum_i log(1 + exp(-y_i f_i))

The model has no positions, so a sequence is its token counts, and all that matters of a token s are
two numbers: its logit z_s = E_s.p and its score gamma_s = E_s.v. With A_is the total attention of
sequence i on token type s and g_i = sigma(-y_i f_i),

    dL/dE = a v^T + w p^T,     a_s = -(1/n) sum_i y_i g_i A_is
    dL/dp = E^T w,             w_s = -(1/n) sum_i y_i g_i A_is (gamma_s - f_i)
    dL/dv = E^T a

Source: derived in the chapter `model` of the book.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ..corpus.products import CountProducts
from .parameters import Parameters, check_fit
from .weights import SequenceWeights

# Below this range of logits e^z with one common maximum loses at most e^12 * 1e-16 = 2e-11; beyond it
# the weights are formed sequence by sequence in the log domain (about three times slower).
COMMON_MAXIMUM_RANGE = 12.0
LOG_TINY = float(np.log(np.finfo(float).tiny))


class GradientUnderflow(RuntimeWarning):
    """dL/dp is too small for a float64; `p_gradient_direction` still knows its direction."""


class GradientFactors(NamedTuple):
    """dL/dE = a v^T + w p^T without forming it; a, w : (|S|,)."""

    a: np.ndarray
    w: np.ndarray


class GradientDirection(NamedTuple):
    """dL/dp = exp(log_norm) * direction; direction : (d,) of norm one (zero if the gradient is)."""

    direction: np.ndarray
    log_norm: float


def forward(corpus, params):
    """Outputs f_i = sum_s A_is gamma_s.

    Parameters
    ----------
    corpus : TokenCounts with n sequences over |S| token types
    params : Parameters with E of shape (|S|, d)

    Returns
    -------
    (n,) float

    Raises
    ------
    ValueError
        If E does not have one row per token type of the corpus.
    """
    check_fit(corpus, params)
    z, gamma = params.logits, params.gamma
    if np.ptp(z) <= COMMON_MAXIMUM_RANGE:
        return _common_maximum(corpus, z, gamma)[2]
    return SequenceWeights(corpus, z, gamma).outputs


def loss(corpus, params):
    """Logistic loss L = (1/n) sum_i log(1 + exp(-y_i f_i)), a float >= 0.

    Takes, raises and costs what `forward` does.
    """
    return float(np.logaddexp(0.0, -corpus.labels * forward(corpus, params)).mean())


def gradients(corpus, params):
    """Exact gradients of the loss.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters

    Returns
    -------
    gradient : Parameters
        dL/dE (|S|, d), dL/dp (d,), dL/dv (d,).

    Warns
    -----
    GradientUnderflow
        If dL/dp is not zero but below the smallest normal float: its direction is then only known
        to `p_gradient_direction`. Happens when every logit gap exceeds about 700.
    """
    a, w = gradient_factors(corpus, params)
    dE = np.multiply.outer(a, params.v)
    dE += np.multiply.outer(w, params.p)
    return Parameters(dE, params.E.T @ w, params.E.T @ a)


def gradient_factors(corpus, params):
    """The two vectors that carry every gradient: dL/dE = a v^T + w p^T, dL/dp = E^T w, dL/dv = E^T a.

    Parameters, errors and warnings as for `gradients`; |S| d numbers are never formed.

    Returns
    -------
    GradientFactors
        a, w : (|S|,)
    """
    check_fit(corpus, params)
    z, gamma = params.logits, params.gamma
    if np.ptp(z) <= COMMON_MAXIMUM_RANGE:
        return _factors_common_maximum(corpus, z, gamma)
    weights = SequenceWeights(corpus, z, gamma)
    scaled, log_scale = _scaled_w(weights)
    if log_scale < LOG_TINY and scaled.any():
        warnings.warn(_underflow(log_scale), GradientUnderflow, stacklevel=2)
    return GradientFactors(_a(weights), np.exp(log_scale) * scaled)


def p_gradient_direction(corpus, params):
    """Direction and log norm of dL/dp, exact where dL/dp itself would underflow to zero.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, with finite logits of any size

    Returns
    -------
    GradientDirection
        dL/dp = exp(log_norm) direction; log_norm = -inf if the gradient is exactly zero.
    """
    check_fit(corpus, params)
    scaled, log_scale = _scaled_w(SequenceWeights(corpus, params.logits, params.gamma))
    vector = params.E.T @ scaled
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        return GradientDirection(vector, -np.inf)
    return GradientDirection(vector / norm, log_scale + np.log(norm))


def _common_maximum(corpus, z, gamma):
    e = np.exp(z - z.max())
    Z, N = CountProducts.of(corpus).forward(np.column_stack([e, e * gamma])).T
    return e, Z, N / Z


def _factors_common_maximum(corpus, z, gamma):
    e, Z, f = _common_maximum(corpus, z, gamma)
    q = -corpus.labels * expit(-corpus.labels * f) / len(f)
    back, back_f = CountProducts.of(corpus).backward(np.column_stack([q / Z, q * f / Z])).T
    return GradientFactors(e * back, e * gamma * back - e * back_f)


def _a(weights):
    y, n = weights.corpus.labels, len(weights.starts)
    q = -y * np.exp(weights.log_residual) / n
    return weights.over_tokens(q[weights.rows] * np.exp(weights.log_attention))


def _scaled_w(weights):
    """W = exp(log_scale) * scaled with the largest contribution of order one."""
    centred = weights.centred_scores
    with np.errstate(divide="ignore"):  # log 0 = -inf: an entry without contribution
        log_size = weights.log_residual[weights.rows] + weights.log_attention + np.log(np.abs(centred))
    log_size[~weights.others] = -np.inf
    log_scale = log_size.max()
    if log_scale == -np.inf:
        return np.zeros_like(weights.gamma), 0.0
    sign = -weights.corpus.labels[weights.rows] * np.sign(centred)
    entries = weights.balanced(sign * np.exp(log_size - log_scale))
    return weights.over_tokens(entries), float(log_scale - np.log(len(weights.starts)))


def _underflow(log_scale):
    return (
        f"dL/dp is about e^{log_scale:.0f}, below the smallest float64 (e^{LOG_TINY:.0f}); "
        "use p_gradient_direction for its direction"
    )
