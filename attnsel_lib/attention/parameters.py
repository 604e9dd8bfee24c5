"""The parameters (E, p, v) of the one-layer softmax attention classifier."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Parameters:
    """Embeddings and vectors of the model; also the shape of its gradients.

    Parameters
    ----------
    E : (|S|, d) float, one embedding per token type
    p : (d,) float, embedding of the <cls> token (the query)
    v : (d,) float, output vector

    Raises
    ------
    ValueError
        If the shapes do not fit, d < 1, or a value is not finite.
    """

    E: np.ndarray
    p: np.ndarray
    v: np.ndarray

    def __post_init__(self):
        """Convert to float64 and check shapes and values."""
        for name in ("E", "p", "v"):
            object.__setattr__(self, name, _finite(name, getattr(self, name)))
        if self.E.ndim != 2 or 0 in self.E.shape:
            raise ValueError(f"E must have shape (|S|, d) with |S| >= 1 and d >= 1, got {self.E.shape}")
        for name in ("p", "v"):
            if getattr(self, name).shape != (self.d,):
                shape = getattr(self, name).shape
                raise ValueError(f"{name} must have shape ({self.d},) to fit E, got {shape}")

    @property
    def d(self):
        """Embedding dimension."""
        return self.E.shape[1]

    @property
    def logits(self):
        """Z = E p, (|S|,)."""
        return self.E @ self.p

    @property
    def gamma(self):
        """Scores gamma = E v, (|S|,)."""
        return self.E @ self.v


def initial_parameters(vocabulary_size, d, rng, unit_v=True):
    """Gaussian parameters with independent N(0, 1/d) entries.

    Parameters
    ----------
    vocabulary_size : int, |S| >= 1
    d : int, embedding dimension >= 1
    rng : numpy.random.Generator
    unit_v : bool, rescale v to norm one (a norm of exactly one makes c = (eta/2) alpha readable)

    Returns
    -------
    params : Parameters

    Raises
    ------
    ValueError
        If vocabulary_size or d is not a positive integer.
    TypeError
        If rng is not a numpy Generator.
    """
    for name, value in (("vocabulary_size", vocabulary_size), ("d", d)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a positive integer, got {value!r}")
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    E = rng.normal(size=(vocabulary_size, d)) / np.sqrt(d)
    p, v = rng.normal(size=(2, d)) / np.sqrt(d)
    return Parameters(E, p, v / np.linalg.norm(v) if unit_v else v)


def _finite(name, values):
    array = np.asarray(values, float)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


def check_fit(corpus, params):
    """Raise a ValueError if corpus and parameters speak of different vocabularies."""
    if corpus.counts.shape[1] != len(params.E):
        raise ValueError(
            f"the corpus has {corpus.counts.shape[1]} token types but E has {len(params.E)} rows"
        )


def positive_step(eta):
    """The step size as a float, or a ValueError unless it is finite and positive."""
    if not np.isscalar(eta) or not np.isfinite(eta) or eta <= 0:
        raise ValueError(f"the step size eta must be finite and positive, got {eta!r}")
    return float(eta)
