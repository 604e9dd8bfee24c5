"""The max-margin vector in closed form, for orthonormal embeddings after an exact rank-one step.

E_s = e_s + c_s v (important),   E_t = e_t (irrelevant),   e_1, ..., e_|S|, v orthonormal
"""

from typing import NamedTuple

import numpy as np


class ClosedForm(NamedTuple):
    """The max-margin vector when every important token meets every irrelevant one.

    norm_squared : |p_mm|^2
    important_logit, irrelevant_logit : the two values of p_mm.E_s
    v_component : w = p_mm.v
    valid : bool, c_s w <= important_logit for all s (otherwise some constraint is slack)
    """

    norm_squared: float
    important_logit: float
    irrelevant_logit: float
    v_component: float
    valid: bool


def closed_form_margin(c, n_irrelevant):
    """Solve the max-margin problem of K important and M irrelevant tokens, all pairs co-occurring.

        K_eff = K - (sum c)^2 / (1 + sum c^2),     |p_mm|^2 = K_eff M / (K_eff + M)

    Parameters
    ----------
    c : (K,) float, alignment coefficients of the important tokens, signed
    n_irrelevant : int >= 1, M

    Returns
    -------
    ClosedForm

    Raises
    ------
    ValueError
        If c is empty or not finite, or n_irrelevant < 1.

    Notes
    -----
    Source: chapter `margin`. With sum c = 0, K_eff = K and p_mm is orthogonal to v.
    """
    c = np.asarray(c, float)
    if c.ndim != 1 or c.size == 0 or not np.isfinite(c).all():
        raise ValueError(f"c must be a non-empty finite vector, got {c}")
    if n_irrelevant < 1:
        raise ValueError(f"n_irrelevant must be at least 1, got {n_irrelevant}")
    effective = c.size - c.sum() ** 2 / (1 + c @ c)
    irrelevant = -effective / (effective + n_irrelevant)
    important = 1 + irrelevant
    w = important * c.sum() / (1 + c @ c)
    norm_squared = effective * n_irrelevant / (effective + n_irrelevant)
    valid = bool((c * w <= important).all())
    return ClosedForm(*map(float, (norm_squared, important, irrelevant, w)), valid)
