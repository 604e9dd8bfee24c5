"""The U-shape: attention against the posterior difference, fitted by a parabola."""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial


class QuadraticFit(NamedTuple):
    """Least squares y = constant + linear x + quadratic x^2, and the variance it explains."""

    constant: float
    linear: float
    quadratic: float
    r_squared: float


def quadratic_fit(x, y):
    """Fit a parabola by least squares.

    Parameters
    ----------
    x, y : (m,) float, m >= 4, finite

    Returns
    -------
    QuadraticFit; r_squared = 1 - residual variance / variance of y, in [0, 1].

    Raises
    ------
    ValueError
        If the lengths differ, fewer than four points are given, a value is not finite, or y is constant.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"x and y must be vectors of one length, got {x.shape} and {y.shape}")
    if len(x) < 4:
        raise ValueError(f"a quadratic fit needs at least 4 points, got {len(x)}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("x and y must be finite")
    if np.ptp(y) == 0:
        raise ValueError(f"y is constant ({y[0]:g}): there is nothing to explain")
    fit = Polynomial.fit(x, y, 2).convert()
    coefficients = np.zeros(3)
    coefficients[: len(fit.coef)] = fit.coef
    return QuadraticFit(*map(float, coefficients), float(1 - np.var(y - fit(x)) / np.var(y)))
