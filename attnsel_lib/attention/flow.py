"""Gradient flow on p with the embeddings frozen, to times like t = e^10000.

    dp/dt = -dL/dp = E^T u(z),      u_s = (1/n) sum_i y_i g_i A_is (gamma_s - f_i),      z = E p

Three changes of form make the horizon reachable; none is an approximation.

1. The clock is tau = log t, and e^tau is added inside the exponent of every weight: late weights
   are e^{tau - gap}, of order one, where e^tau * e^{-gap} would be inf * 0.
2. u_s of the token that takes almost all attention is minus the sum of the others.
3. p moves in span(E): p = p_0 + B^T x with B an orthonormal basis, so there are min(|S|, d) unknowns.

Source: derived in the chapter `flow` of the book.
"""

import numpy as np
from scipy.integrate import solve_ivp

from .parameters import check_fit
from .path import flow_path
from .weights import SequenceWeights

MAX_EVALUATIONS = 20_000  # the flows of the book take 500 to 2,000
START_LOG_T = -16.0  # before this the flow is linear in t to a relative 1e-7 at a stiffness of one


def gradient_flow(corpus, params, log_t, rtol=1e-7, atol=1e-9, max_evaluations=MAX_EVALUATIONS):
    """Integrate dp/dt = -dL/dp from params.p at t = 0, E and v frozen.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, the start; its E and v stay as they are
    log_t : (m,) strictly increasing natural logarithms of the times wanted
    rtol, atol : float > 0, tolerances of the integrator on the coordinates of p
    max_evaluations : int, right-hand sides after which a flow that crawls is given up

    Returns
    -------
    FlowPath

    Raises
    ------
    ValueError
        If log_t is empty, not finite or not increasing, a tolerance is not positive, or corpus and
        parameters do not fit.
    RuntimeError
        If the integrator stops early or needs too many evaluations (the message carries the time and
        the reason), or the path breaks what every gradient flow obeys: finite values and a loss that
        does not rise.

    Notes
    -----
    Implicit BDF (scipy) with the analytic Jacobian. A flow that is stiff beyond the solver's reach
    raises; it never returns the part it managed.
    """
    check_fit(corpus, params)
    times = _checked_times(log_t)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not 0 < tolerance < np.inf:
            raise ValueError(f"{name} must be positive and finite, got {tolerance}")
    field = _Field(corpus, params, max_evaluations)
    start = min(times[0] - 1, START_LOG_T - np.log(max(1.0, field.stiffness())))
    solution = solve_ivp(
        field.velocity, (start, times[-1]), field.velocity(start, np.zeros(field.dimension)),
        method="BDF", t_eval=times, jac=field.jacobian, rtol=rtol, atol=atol,
    )  # fmt: skip
    if not solution.success:
        reached = solution.t[-1] if len(solution.t) else start
        raise RuntimeError(
            f"gradient flow stopped after log t = {reached:.4g} of {times[-1]:.4g}: {solution.message}"
        )
    x = solution.y.T
    return flow_path(
        corpus, params, times, params.p + x @ field.basis, field.logits(x), evaluations=solution.nfev
    )


class _Field:
    """Velocity dx/dtau and its Jacobian in coordinates p = p_0 + basis^T x."""

    def __init__(self, corpus, params, max_evaluations=MAX_EVALUATIONS):
        self.evaluations_left = max_evaluations
        self.corpus, self.gamma, self.z0 = corpus, params.gamma, params.logits
        basis, coordinates = np.linalg.qr(params.E.T)
        self.basis, self.coordinates = basis.T, coordinates.T  # E = coordinates @ basis
        self.dimension = len(self.basis)

    def logits(self, x):
        """Logits z_0 + E basis^T x, for x of shape (..., r)."""
        return self.z0 + x @ self.coordinates.T

    def velocity(self, tau, x):
        self.evaluations_left -= 1
        if self.evaluations_left < 0:
            raise RuntimeError(f"gradient flow crawls: no evaluations left at log t = {tau:.4g}")
        weights = SequenceWeights(self.corpus, self.logits(x), self.gamma)
        return self.coordinates.T @ weights.over_tokens(_flow_entries(weights, tau))

    def jacobian(self, tau, x):
        """Matrix d velocity / dx.

        With B the flow entries, A the attention and D = A (gamma - f), all (n, |S|), the Jacobian in z
        is diag(u) - B^T A - A^T B - B^T diag(y (1-g)) D; the last term is the residual's own change.
        """
        weights = SequenceWeights(self.corpus, self.logits(x), self.gamma)
        entries = _flow_entries(weights, tau)
        attention = np.exp(weights.log_attention)
        centred = weights.balanced(attention * weights.centred_scores)
        B, A, D = (weights.as_matrix(values) @ self.coordinates for values in (entries, attention, centred))
        y_complement = self.corpus.labels * -np.expm1(weights.log_residual)
        cross = B.T @ A
        u = weights.over_tokens(entries)
        return (
            (self.coordinates.T * u) @ self.coordinates - cross - cross.T - B.T @ (y_complement[:, None] * D)
        )

    def stiffness(self):
        """Norm of the Jacobian at the start, in units of 1/t."""
        return float(np.linalg.norm(self.jacobian(0.0, np.zeros(self.dimension))))


def _flow_entries(weights, tau):
    """e^tau (1/n) y_i g_i A_is (gamma_s - f_i) for each stored entry, the exponent formed first."""
    scale = tau - np.log(len(weights.starts)) + weights.log_residual
    size = np.exp(np.where(weights.others, scale[weights.rows] + weights.log_attention, -np.inf))
    return weights.balanced(weights.corpus.labels[weights.rows] * size * weights.centred_scores)


def _checked_times(log_t):
    times = np.atleast_1d(np.asarray(log_t, float))
    if times.ndim != 1 or times.size == 0:
        raise ValueError(f"log_t must be a non-empty vector, got shape {np.shape(log_t)}")
    if not np.isfinite(times).all():
        raise ValueError(f"log_t must be finite, got {times[~np.isfinite(times)][0]}")
    if (np.diff(times) <= 0).any():
        k = int(np.argmax(np.diff(times) <= 0))
        raise ValueError(f"log_t must increase, got {times[k]:g} followed by {times[k + 1]:g}")
    return times
