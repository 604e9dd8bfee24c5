"""Wrong alternatives that breakages inject in place of functions of the library."""

import numpy as np

from attnsel_lib.attention import (
    GradientFactors,
    Parameters,
    gradient_factors,
    gradient_flow,
    initial_parameters,
    selection_pairs,
)


def against_v(corpus, params):
    """Gradient factors with the sign of v wrong: one step moves the tokens away from their label."""
    a, w = gradient_factors(corpus, params)
    return GradientFactors(-a, w)


def plain_frequency(corpus, params):
    """Gradient factors at small logits with the labels forgotten: phi in place of alpha."""
    return GradientFactors(-corpus.frequency() / 2, np.zeros(corpus.n_tokens))


def summed_positions(corpus, params):
    """Gradient factors of a model that adds up its positions: T times too large."""
    a, w = gradient_factors(corpus, params)
    length = corpus.lengths.mean()
    return GradientFactors(a * length, w * length)


def without_initial_scores(vocabulary_size, d, rng):
    """Initial parameters whose embeddings are orthogonal to v: no score is drawn by chance."""
    params = initial_parameters(vocabulary_size, d, rng)
    E = params.E - np.outer(params.gamma, params.v) / (params.v @ params.v)
    return Parameters(E, params.p, params.v)


def without_coupling(corpus, params, log_t, **tolerances):
    """The flow with the scores as they are but without their trace in E E^T, the c^2 of the race."""
    long, unit = 1e6, params.v / np.linalg.norm(params.v)
    E = params.E - np.outer(params.E @ unit, unit) * (1 - 1 / long)
    return gradient_flow(corpus, Parameters(E, params.p, long * params.v), log_t, **tolerances)


def pairs_of_the_important(corpus, selected):
    """The pairs of the right selection, whichever was made."""
    one_sided = np.abs(corpus.posterior_difference()) == 1
    important = [row.indices[one_sided[row.indices]][0] for row in corpus.counts]
    return selection_pairs(corpus, np.array(important))


def plain_outputs(weights):
    """Outputs f_i as the weighted sum of the scores, rounded to the precision of a score, (n,)."""
    scores = weights.gamma[weights.corpus.counts.indices]
    return np.add.reduceat(np.exp(weights.log_attention) * scores, weights.starts)


def subtracted_scores(weights):
    """gamma_s - f_i by subtraction, (nnz,): nothing below 1e-16 of a score is left."""
    return weights.gamma[weights.corpus.counts.indices] - plain_outputs(weights)[weights.rows]


def as_they_are(weights, entries):
    """Entries with the selected token's own, rounded value in place of minus the sum of the others."""
    return entries


def subtracted_scores_32(weights):
    """gamma_s - f_i by subtraction in float32, (nnz,)."""
    scores = weights.gamma[weights.corpus.counts.indices].astype(np.float32)
    return (scores - plain_outputs(weights).astype(np.float32)[weights.rows]).astype(float)


def constant_residual(weights):
    """Log residual of a linear loss: 1/2 whatever the output, (n,)."""
    return np.full(len(weights.starts), np.log(0.5))


WEIGHTS = "attnsel_lib.attention.weights.SequenceWeights."
STEP = "attnsel_lib.attention.onestep.gradient_factors"
SUBTRACTION = {
    WEIGHTS + "centred_scores": property(subtracted_scores),
    WEIGHTS + "others": property(lambda weights: np.ones(weights.corpus.counts.nnz, bool)),
    WEIGHTS + "balanced": as_they_are,
}
