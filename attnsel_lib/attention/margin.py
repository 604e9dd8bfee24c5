"""The max-margin problem of a selection, solved with a computed certificate.

    p_mm = argmin |p|   s.t.   p.(E_s - E_t) >= 1   for all pairs (s, t)

Its dual is max 1.lam - |sum lam_st (E_s - E_t)|^2 / 2 over lam >= 0.
Source: problem of arXiv 2306.13596; derived in the chapter `margin` of the book.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

CERTIFICATE = 1e-8  # residuals above this are an error, not a solution
SUPPORT_SLACK = 1e-6  # a pair supports the margin when p.(E_s - E_t) - 1 is below this


@dataclass(frozen=True)
class MarginSolution:
    """The shortest separating vector and the evidence that it is one.

    p : (d,) solution;  norm : |p|;  margin : 1/|p|
    multipliers : (m,) lam >= 0, one per pair, p = sum lam_st (E_s - E_t)
    support : (m,) bool, pairs that meet their constraint with equality
    kkt_residual : largest violation of stationarity (relative to |p|), feasibility and complementarity
    duality_gap : (primal - dual) / primal, an upper bound on the relative error of |p|^2
    """

    p: np.ndarray
    norm: float
    margin: float
    multipliers: np.ndarray
    support: np.ndarray
    kkt_residual: float
    duality_gap: float


def selection_pairs(corpus, selected):
    """Distinct pairs (s, t) that a selection must separate: s selected in a sequence that holds t != s.

    Parameters
    ----------
    corpus : TokenCounts with n sequences
    selected : (n,) int, the selected token of each sequence

    Returns
    -------
    (m, 2) int, in lexicographic order; (0, 2) when every sequence has one token type.

    Raises
    ------
    ValueError
        If a selected token does not occur in its sequence.
    """
    counts = corpus.counts
    chosen = np.asarray(selected)
    if chosen.shape != (counts.shape[0],) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"selected must be {counts.shape[0]} token indices, got {chosen.dtype} {chosen.shape}"
        )
    s = np.repeat(chosen, np.diff(counts.indptr))
    present = np.logical_or.reduceat(s == counts.indices, counts.indptr[:-1])
    if not present.all():
        i = int(np.argmin(present))
        raise ValueError(f"token {chosen[i]} is selected in sequence {i}, which does not contain it")
    other = counts.indices != s
    return np.unique(np.column_stack([s[other], counts.indices[other]]), axis=0)


def max_margin(E, pairs):
    """Shortest p with p.(E_s - E_t) >= 1 for every pair (s, t).

    Parameters
    ----------
    E : (|S|, d) float, embeddings
    pairs : (m, 2) int, m >= 1 pairs of token indices

    Returns
    -------
    MarginSolution

    Raises
    ------
    ValueError
        If E is not finite, an index is out of range, or no p separates the pairs; the message then
        names the pairs whose differences cancel.
    RuntimeError
        If the solver's answer does not pass the certificate (residual and gap at most 1e-8).

    Notes
    -----
    The interior-point solver Clarabel works in coordinates of span{E_s - E_t}; its status is read
    only to tell infeasible problems, the certificate is computed from p and the multipliers.
    """
    E, pairs = _checked(E, pairs)
    differences, basis = _coordinates(E, pairs)
    scale = np.linalg.norm(differences, axis=1).max() or 1.0  # the solver's tolerances are absolute
    x, multipliers, status = _solve(differences / scale)
    x, multipliers = x / scale, multipliers / scale**2
    if "Infeasible" in status:
        raise ValueError(_why_infeasible(multipliers, pairs))
    return _certified(differences, basis, x, multipliers, status)


def _coordinates(E, pairs):
    """Differences E_s - E_t in an orthonormal basis of their span, (m, r), and that basis, (r, d)."""
    tokens, position = np.unique(pairs, return_inverse=True)
    centred = E[tokens] - E[tokens].mean(axis=0)
    left, scale, basis = np.linalg.svd(centred, full_matrices=False)
    rank = max(1, int((scale > scale[0] * max(E.shape) * np.finfo(float).eps).sum()))
    coordinates = left[:, :rank] * scale[:rank]
    s, t = position.reshape(pairs.shape).T
    return coordinates[s] - coordinates[t], basis[:rank]


def _solve(differences):
    """Clarabel on min |x|^2/2 s.t. differences x >= 1: (x, multipliers, status)."""
    import clarabel

    m, r = differences.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    settings.max_iter = 200
    solver = clarabel.DefaultSolver(
        sparse.eye(r, format="csc"),
        np.zeros(r),
        sparse.csc_matrix(-differences),
        -np.ones(m),
        [clarabel.NonnegativeConeT(m)],
        settings,
    )
    solution = solver.solve()
    return np.array(solution.x), np.array(solution.z), str(solution.status)


def _certified(differences, basis, x, multipliers, status):
    """The solution with its residuals, made feasible by scaling, or a RuntimeError."""
    multipliers = np.maximum(multipliers, 0.0)
    gaps = differences @ x
    if not np.isfinite(gaps).all() or gaps.min() <= 0:
        raise RuntimeError(f"max-margin solver stopped without a separating vector ({status})")
    x, gaps = x / gaps.min(), gaps / gaps.min()
    stationarity = x - differences.T @ multipliers
    norm = float(np.linalg.norm(x))
    residual = max(np.linalg.norm(stationarity) / norm, np.abs(multipliers * (gaps - 1)).max())
    dual = multipliers.sum() - np.sum((differences.T @ multipliers) ** 2) / 2
    duality_gap = float(abs(norm**2 / 2 - dual) / (norm**2 / 2))
    if max(residual, duality_gap) > CERTIFICATE:
        raise RuntimeError(
            f"max-margin solution not certified ({status}): residual {residual:.1e}, gap {duality_gap:.1e}"
        )
    support = gaps - 1 < SUPPORT_SLACK
    return MarginSolution(x @ basis, norm, 1 / norm, multipliers, support, float(residual), duality_gap)


def _why_infeasible(multipliers, pairs):
    """Sentence naming the pairs of the infeasibility certificate: lam >= 0 with sum lam (E_s - E_t) = 0."""
    weight = np.maximum(multipliers, 0.0)
    used = pairs[weight > 1e-6 * weight.max()]
    shown = ", ".join(f"({s}, {t})" for s, t in used[:6])
    more = f" and {len(used) - 6} more" if len(used) > 6 else ""
    return f"no vector separates the pairs: the differences E_s - E_t of {shown}{more} cancel"


def _checked(E, pairs):
    E, pairs = np.asarray(E, float), np.asarray(pairs)
    if E.ndim != 2 or 0 in E.shape:
        raise ValueError(f"E must have shape (|S|, d), got {E.shape}")
    if not np.isfinite(E).all():
        raise ValueError(f"E must be finite, token {int(np.argwhere(~np.isfinite(E))[0, 0])} is not")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"pairs must be integers of shape (m, 2), got {pairs.dtype} {pairs.shape}")
    if len(pairs) == 0:
        raise ValueError("pairs is empty: there is nothing to separate")
    if pairs.min() < 0 or pairs.max() >= len(E):
        bad = pairs[(pairs < 0) | (pairs >= len(E))][0]
        raise ValueError(f"pairs name token {bad}, but E has rows 0 to {len(E) - 1}")
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise ValueError(f"token {pairs[pairs[:, 0] == pairs[:, 1]][0, 0]} is paired with itself")
    return E, pairs
