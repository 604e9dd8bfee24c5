"""Wrong alternatives that breakages inject in place of functions of the library."""

from dataclasses import replace
from unittest import mock

import numpy as np

from attnsel_lib.attention import (
    GradientFactors,
    Parameters,
    asymptotics,
    gradient_factors,
    gradient_flow,
    gradients,
    initial_parameters,
    selection_pairs,
)
from attnsel_lib.attention.head_bias import head_bias


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


def constant_residual(weights):
    """Log residual of a linear loss: 1/2 whatever the output, (n,)."""
    return np.full(len(weights.starts), np.log(0.5))


def asymptotics_with(**replaced):
    """The asymptotics with functions of its module replaced, for the module is named like its function."""

    def wrong(corpus, params, selected):
        with mock.patch.dict(asymptotics.__globals__, replaced):
            return asymptotics(corpus, params, selected)

    return wrong


def weights_with(change):
    """Asymptotics whose limit weights kappa have one factor wrong."""

    def wrong(corpus, gamma, selected, pairs):
        return change(RIGHT_WEIGHTS(corpus, gamma, selected, pairs), gamma, pairs, corpus)

    return asymptotics_with(_limit_weights=wrong)


RIGHT_WEIGHTS = asymptotics.__globals__["_limit_weights"]
RIGHT_MINIMISE = asymptotics.__globals__["_minimise"]
WRONG_WEIGHTS = {
    "kappa without the score difference": weights_with(
        lambda kappa, gamma, pairs, corpus: kappa / np.abs(gamma[pairs[:, 0]] - gamma[pairs[:, 1]])
    ),
    "kappa without the residual": weights_with(
        lambda kappa, gamma, pairs, corpus: kappa * (1 + np.exp(np.abs(gamma[pairs[:, 0]])))
    ),
    "kappa without 1/n": weights_with(lambda kappa, gamma, pairs, corpus: kappa * corpus.n_sequences),
    "kappa the same for every pair": weights_with(
        lambda kappa, gamma, pairs, corpus: np.full(len(kappa), kappa.mean())
    ),
}
unit_margin_vector = asymptotics_with(
    _minimise=lambda differences, log_kappa, target: RIGHT_MINIMISE(
        differences, log_kappa, target / np.linalg.norm(target)
    )
)


def without_the_start(corpus, params, selected):
    """Asymptotics whose rho forgets the part of p_0 that the flow never moves."""
    return asymptotics(corpus, Parameters(params.E, np.zeros(params.d), params.v), selected)


def rate_without_multipliers(corpus, params, selected):
    """Asymptotics with the rate of the bare support differences, multipliers left out of H."""
    late = asymptotics(corpus, params, selected)
    scale = np.linalg.svd(params.E[late.pairs[:, 0]] - params.E[late.pairs[:, 1]], compute_uv=False)
    return replace(late, rate=float(scale[scale > 1e-9 * scale[0]].min() ** 2))


def signed_frequency_itself(instance):
    """A law of the second step linear in alpha: a ramp in place of the U."""
    return instance.corpus.signed_frequency()


def wrong_sign_bias(corpus):
    """The head bias log(n_- / n_+)."""
    return -head_bias(corpus)


def quarter_shares(corpus, eta):
    """Coefficient (eta/4) (P_+ - P_-): pi_+ pi_- of balanced labels."""
    positive = corpus.labels == 1
    return eta / 4 * (corpus.shares[positive].mean(axis=0) - corpus.shares[~positive].mean(axis=0))


def gradients_without_p(corpus, params):
    """Gradients whose dL/dE lacks the term w p^T."""
    a, exact = gradient_factors(corpus, params).a, gradients(corpus, params)
    return Parameters(np.outer(a, params.v), exact.p, exact.v)


def gradients_frozen_v(corpus, params):
    """Gradients with v held fixed."""
    exact = gradients(corpus, params)
    return Parameters(exact.E, exact.p, np.zeros_like(exact.v))


def distances(p, direction):
    """Distance of each row of p to a vector, neither brought to length one, (m,)."""
    return np.linalg.norm(p - direction, axis=1)


WEIGHTS = "attnsel_lib.attention.weights.SequenceWeights."
STEP = "attnsel_lib.attention.onestep.gradient_factors"
SUBTRACTION = {
    WEIGHTS + "centred_scores": property(subtracted_scores),
    WEIGHTS + "others": property(lambda weights: np.ones(weights.corpus.counts.nnz, bool)),
    WEIGHTS + "balanced": as_they_are,
}
