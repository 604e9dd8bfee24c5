"""Second-order asymptotics of the flow on p: p_t = p_mm log t + rho + o(1), without integrating.

With support pairs P = {(s, t): p_mm.(E_s - E_t) = 1} and the limit weights

    kappa_st = (1/n) sum_i sigma(-y_i gamma_s) y_i (gamma_s - gamma_t) cnt_i(t) / cnt_i(s)

(sum over the sequences that select s and hold t)

the offset rho minimises, over the span of the support differences, the strictly convex function

    sum_P kappa_st exp(-rho.(E_s - E_t)) + p_mm.rho

and the terms of its sum are multipliers of the max-margin problem.
Source: derived in the chapter `margin` of the book, section on the second order.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from .margin import max_margin, selection_pairs
from .parameters import check_fit

CERTIFICATE = 1e-10  # gradient of the convex programme, relative to |p_mm|
RANK_TOLERANCE = 1e-9  # singular values of the support differences below this, relatively, are zero


@dataclass(frozen=True)
class Asymptotics:
    """The late flow p_t = p_mm log t + rho + o(1) of a selection.

    p_mm : (d,) max-margin vector
    rho : (d,) constant offset, with the part of p_0 that the flow never moves
    rate : mu > 0, smallest eigenvalue of sum_P kappa e^{-rho.D} D D^T on the span of the differences D;
        the remainder is O(t^-mu) unless mu >= 1 or a pair off the support exceeds its constraint by less
        than mu, which leave slower terms
    pairs : (k, 2) int, the support pairs
    multipliers : (k,) kappa e^{-rho.(E_s - E_t)}, those the flow itself selects where the dual is degenerate
    kkt_residual : |p_mm - sum multipliers (E_s - E_t)| / |p_mm|
    undetermined : int, directions among all pair differences outside the support's span; there rho is
        left by the transient and reported as zero
    """

    p_mm: np.ndarray
    rho: np.ndarray
    rate: float
    pairs: np.ndarray
    multipliers: np.ndarray
    kkt_residual: float
    undetermined: int


def asymptotics(corpus, params, selected):
    """Predict the late flow on p for a given selection.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, the start of the flow; E and v are frozen
    selected : (n,) int, the token each sequence selects in the limit

    Returns
    -------
    Asymptotics

    Raises
    ------
    ValueError
        If the selection cannot be separated, or a support pair has kappa <= 0: its score difference has
        the wrong sign for the label, and the flow does not converge to this selection.
    RuntimeError
        If the convex programme is not solved to its certificate.
    """
    check_fit(corpus, params)
    pairs = selection_pairs(corpus, selected)
    solution = max_margin(params.E, pairs)
    support = pairs[solution.support]
    kappa = _limit_weights(corpus, params.gamma, selected, pairs)[solution.support]
    if (kappa <= 0).any():
        s, t = support[np.argmin(kappa)]
        raise ValueError(
            f"support pair ({s}, {t}) has weight {kappa.min():.2e}: its score has the wrong sign"
        )
    differences = params.E[support[:, 0]] - params.E[support[:, 1]]
    basis = _row_space(differences)
    x = _minimise(differences @ basis.T, np.log(kappa), basis @ solution.p)
    multipliers = kappa * np.exp(-differences @ (basis.T @ x))
    scaled = differences @ basis.T * np.sqrt(multipliers)[:, None]
    everything = _row_space(params.E[pairs[:, 0]] - params.E[pairs[:, 1]])
    residual = np.linalg.norm(solution.p - multipliers @ differences) / solution.norm
    return Asymptotics(
        p_mm=solution.p,
        rho=basis.T @ x + params.p - everything.T @ (everything @ params.p),
        rate=float(np.linalg.eigvalsh(scaled.T @ scaled)[0]),
        pairs=support,
        multipliers=multipliers,
        kkt_residual=float(residual),
        undetermined=len(everything) - len(basis),
    )


def _limit_weights(corpus, gamma, selected, pairs):
    """The limit weight of each pair, (m,)."""
    counts, y, n = corpus.counts, corpus.labels, corpus.n_sequences
    rows = np.repeat(np.arange(n), np.diff(counts.indptr))
    s, t = np.asarray(selected)[rows], counts.indices
    own = counts.data[s == t]  # one entry per sequence, in order: the selected token occurs in it
    slope = 1 / (1 + np.exp(y * gamma[selected]))
    weight = slope[rows] * y[rows] * (gamma[s] - gamma[t]) * counts.data / own[rows] / n
    key, pair_key = s * corpus.n_tokens + t, pairs[:, 0] * corpus.n_tokens + pairs[:, 1]
    other = s != t
    return np.bincount(np.searchsorted(pair_key, key[other]), weight[other], minlength=len(pairs))


def _row_space(vectors):
    """Orthonormal basis of the span of the rows, (r, d)."""
    _, scale, rows = np.linalg.svd(vectors, full_matrices=False)
    return rows[scale > RANK_TOLERANCE * scale[0]]


def _minimise(D, log_kappa, target):
    """Minimiser of sum exp(log_kappa - D x) + target.x, certified by its gradient."""

    def value(x):
        weights = np.exp(log_kappa - D @ x)
        return weights.sum() + target @ x, target - weights @ D

    def hessian(x):
        return (D.T * np.exp(log_kappa - D @ x)) @ D

    x = minimize(value, np.zeros(len(target)), jac=True, hess=hessian, method="trust-exact").x
    for _ in range(3):  # Newton's last digits, which the trust region's stopping rule leaves
        x = x - np.linalg.solve(hessian(x), value(x)[1])
    size = np.linalg.norm(value(x)[1]) / np.linalg.norm(target)
    if not size <= CERTIFICATE:
        raise RuntimeError(f"the offset rho is not certified: relative gradient {size:.1e}")
    return x
