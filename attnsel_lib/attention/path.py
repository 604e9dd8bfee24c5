"""What is measured along a gradient flow on p."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from .weights import SequenceWeights, log_sum, selection, softplus_difference

LOSS_RISE = 1e-7  # a gradient flow only lowers the loss; a larger rise means a wrong path
LINEAR = 1e-9  # output shifts below this act on the loss linearly to float precision


@dataclass(frozen=True)
class FlowPath:
    """Gradient flow on p, sampled at m increasing times.

    log_t : (m,) natural logarithm of the time t
    p : (m, d) the <cls> embedding
    logits : (m, |S|) z = E p
    selected : (n,) token with the largest logit of each sequence at the last time
    selected_attention : (m, n) attention on that token
    log_inattention : (m, n) log(1 - selected_attention), exact where the attention rounds to one
    loss_gap : (m,) L(p_t) - L_inf with L_inf = (1/n) sum_i log(1 + exp(-y_i gamma_selected))
    time_times_loss_gap : (m,) t (L(p_t) - L_inf), exact where the gap itself underflows
    evaluations : int, right-hand sides evaluated
    """

    log_t: np.ndarray
    p: np.ndarray
    logits: np.ndarray
    selected: np.ndarray
    selected_attention: np.ndarray
    log_inattention: np.ndarray
    loss_gap: np.ndarray
    time_times_loss_gap: np.ndarray
    evaluations: int


def flow_path(corpus, params, log_t, p, logits, evaluations):
    """Measure a computed flow and refuse it if it breaks what every gradient flow obeys.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters with the frozen E and v
    log_t : (m,); p : (m, d); logits : (m, |S|)
    evaluations : int

    Returns
    -------
    FlowPath

    Raises
    ------
    RuntimeError
        If a value is not finite or the loss rises between two samples.
    """
    if not np.isfinite(logits).all():
        raise RuntimeError("gradient flow left the finite numbers")
    selected = selection(corpus, logits[-1])
    samples = [_sample(corpus, params, tau, z, selected) for tau, z in zip(log_t, logits, strict=True)]
    log_inattention, gap, scaled_gap = (np.array(values) for values in zip(*samples, strict=True))
    if (np.diff(gap) > LOSS_RISE).any():
        k = int(np.argmax(np.diff(gap)))
        raise RuntimeError(
            f"the loss rises by {np.diff(gap)[k]:.1e} after log t = {log_t[k]:.4g}: wrong path"
        )
    attention = -np.expm1(log_inattention)
    return FlowPath(log_t, p, logits, selected, attention, log_inattention, gap, scaled_gap, evaluations)


def _sample(corpus, params, tau, logits, selected):
    """(log(1 - a_selected), L - L_inf, t (L - L_inf)) at one time."""
    weights = SequenceWeights(corpus, logits, params.gamma)
    others = corpus.counts.indices != selected[weights.rows]
    log_tail = np.where(others, weights.log_attention, -np.inf)
    towards = params.gamma[corpus.counts.indices] - params.gamma[selected][weights.rows]
    log_size = np.where(towards != 0, log_tail, -np.inf)
    with np.errstate(over="ignore"):  # t times an undecided selection is rightly infinite
        shift, scaled_shift = (
            np.add.reduceat(np.exp(log_size + clock) * towards, weights.starts) for clock in (0.0, tau)
        )
    slope = _loss_slope(corpus.labels, params.gamma[selected], shift)
    inattention = np.minimum(log_sum(log_tail, weights.starts), 0.0)
    return inattention, (slope * shift).mean(), (slope * scaled_shift).mean()


def _loss_slope(labels, gamma, shift):
    """[l(y (gamma + shift)) - l(y gamma)] / shift, with its limit -y sigma(-y gamma) at small shifts."""
    safe = np.where(np.abs(shift) > LINEAR, shift, 1.0)
    secant = softplus_difference(labels * gamma, labels * safe) / safe
    return np.where(np.abs(shift) > LINEAR, secant, -labels * expit(-labels * gamma))
