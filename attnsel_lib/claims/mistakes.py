"""Mistakes that claims about the model, the step and the flow must detect: wrong functions for `Breakage`.

Each takes and returns what the function of the library does in whose place it is put.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import linprog
from scipy.special import logsumexp

from attnsel_lib.attention import (
    GradientFactors,
    Parameters,
    closed_form_margin,
    embedding_step,
    first_order_error,
    gradient_factors,
    gradient_flow,
    gradients,
    initial_parameters,
    max_margin,
    p_gradient_direction,
    predicted_alignment,
    selection_pairs,
    step_error_bound,
)
from attnsel_lib.corpus import TokenCounts


def without_covariance(corpus, params):
    """Gradient factors that forget w p^T, the part through the attention weights."""
    a, w = gradient_factors(corpus, params)
    return GradientFactors(a, np.zeros_like(w))


def against_v(corpus, params):
    """Gradient factors with the sign of v wrong."""
    a, w = gradient_factors(corpus, params)
    return GradientFactors(-a, w)


def uncentred(corpus, params):
    """Gradient factors with gamma_s in place of gamma_s - f_i: the softmax normalisation forgotten."""
    a, _ = gradient_factors(corpus, params)
    return GradientFactors(a, a * params.gamma)


def each_type_once(corpus, params):
    """Gradients of a model whose attention ignores repeated tokens."""
    present = TokenCounts(corpus.counts > 0, corpus.labels, corpus.vocabulary)
    return gradients(present, params)


def at_temperature_two(corpus, params, log_t):
    """The flow of a model with attention softmax(z / 2)."""
    path = gradient_flow(corpus, Parameters(params.E / 2, params.p, 2 * params.v), log_t)
    return replace(path, logits=path.p @ params.E.T)


def lazy_flow(corpus, params, log_t):
    """A flow that keeps the direction of its first gradient, at the speed of log t."""
    path = stopped(corpus, params, np.minimum(log_t, 0.0)[:1])
    first = p_gradient_direction(corpus, params).direction
    p = params.p - np.exp(np.minimum(log_t, 0))[:, None] * first - np.maximum(log_t, 0)[:, None] * first
    return replace(path, log_t=log_t, p=p, logits=p @ params.E.T)


def uphill_flow(corpus, params, log_t):
    """The flow that keeps its first direction, with the sign of the gradient wrong."""
    path = lazy_flow(corpus, params, log_t)
    return replace(path, p=2 * params.p - path.p, logits=2 * params.logits - path.logits)


def pooled_frequency(corpus):
    """Signed frequency that pools all positions and forgets the division by each T_i."""
    return corpus.counts.T @ corpus.labels / corpus.lengths.sum()


def undivided_frequency(corpus):
    """Signed frequency of a model that adds up its positions."""
    return corpus.counts.T @ corpus.labels / corpus.n_sequences


def plain_alignment(corpus, eta):
    """Coefficient of v from the plain frequency."""
    return eta / 2 * corpus.frequency()


def doubled_alignment(corpus, eta):
    """Coefficient of v without the factor sigma(0) = 1/2."""
    return 2 * predicted_alignment(corpus, eta)


def bound_by_signed_frequency(corpus, params, eta):
    """The error bound with |alpha| in place of phi."""
    return step_error_bound(corpus, params, eta) * np.abs(corpus.posterior_difference())


def without_common_shift(corpus, params, eta):
    """First-order error without -m_s v / 4, the change of the residuals."""
    m = corpus.shares.T @ (corpus.shares @ params.gamma) / corpus.n_sequences
    return first_order_error(corpus, params, eta) + eta * np.outer(m, params.v) / 4


def without_query_term(corpus, params, eta):
    """First-order error along v alone, as if p_0 were zero in the step."""
    error, unit = first_order_error(corpus, params, eta), params.v / np.linalg.norm(params.v)
    return np.outer(error @ unit, unit)


def sign_step(corpus, params, eta):
    """The first step of Adam on E: the sign of the gradient."""
    gradient = gradients(corpus, params).E
    return Parameters(params.E - eta * np.sign(gradient) / np.sqrt(params.d), params.p, params.v)


def decayed_step(corpus, params, eta):
    """The gradient step with weight decay 0.01."""
    after = embedding_step(corpus, params, eta)
    return Parameters(after.E - 0.01 * eta * params.E, params.p, params.v)


def value_for_query(corpus, params):
    """Gradients with dL/dv returned for dL/dp."""
    gradient = gradients(corpus, params)
    return Parameters(gradient.E, gradient.v, gradient.v)


def wide_embeddings(vocabulary_size, d, rng):
    """Embeddings with entries of twice the standard deviation."""
    params = initial_parameters(vocabulary_size, d, rng)
    return Parameters(2 * params.E, params.p, params.v)


def scores_of_order_one(vocabulary_size, d, rng):
    """Initial parameters with N(0, 1) entries of v in place of |v| = 1."""
    params = initial_parameters(vocabulary_size, d, rng)
    return Parameters(params.E, params.p, np.sqrt(d) * params.v)


def unit_margin(E, pairs):
    """The max-margin direction at length one: not normalised to a smallest gap of one."""
    solution = max_margin(E, pairs)
    return replace(solution, p=solution.p / solution.norm, norm=1.0)


def mean_difference(E, pairs):
    """The mean of the differences, scaled to margin one, in place of the max-margin vector."""
    differences = E[pairs[:, 0]] - E[pairs[:, 1]]
    p = differences.mean(axis=0)
    p = p / (differences @ p).min()
    return replace(max_margin(E, pairs), p=p, norm=float(np.linalg.norm(p)))


def plain_frequency(corpus, params):
    """Gradient factors at small logits with the labels forgotten: phi in place of alpha."""
    return GradientFactors(-corpus.frequency() / 2, np.zeros(corpus.n_tokens))


def positive_sequences_only(corpus, params):
    """Gradient factors of the positive sequences alone."""
    positive = corpus.subset(corpus.labels == 1)
    a, w = gradient_factors(positive, params)
    return GradientFactors(a, w)


def balanced_closed_form(c, n_irrelevant):
    """Closed form that leaves out the part of v: K in place of K_eff."""
    return closed_form_margin(np.zeros_like(c), n_irrelevant)


def unit_logits(c, n_irrelevant):
    """Closed form with supplies and demands of one per token, whatever their numbers."""
    closed = closed_form_margin(c, n_irrelevant)
    return closed._replace(important_logit=1.0, irrelevant_logit=-1.0, v_component=0.0)


def linprog_of_either_sign(cost, **problem):
    """A linear programme whose variables may be negative."""
    return linprog(cost, bounds=(None, None), **problem)


STEP = "attnsel_lib.attention.onestep.gradient_factors"


def stopped(corpus, params, log_t):
    """A flow that stands still from t = 1 on."""
    times = np.asarray(log_t, float)
    path = gradient_flow(corpus, params, [*times[times < 0], 0.0])
    keep = np.minimum(np.arange(len(times)), (times < 0).sum())
    return replace(path, log_t=times, p=path.p[keep], logits=path.logits[keep])


def swapped_pairs(corpus, selected):
    """The pairs of the right selection, each told the wrong way round."""
    return selection_pairs(corpus, selected)[:, ::-1]


def logsumexp_at_temperature_two(logits, axis, b):
    """Log of a sum of weights e^(z/2)."""
    return logsumexp(logits / 2, axis=axis, b=b)


def any_sign(labels, gamma, i, s, t):
    """Size of the lead, without its sign."""
    return abs(gamma[s] - gamma[t])


def first_pair(sequences, selected, p):
    """One pair of the first sequence, tight or not."""
    return [(0, selected[0], next(t for t in sequences[0] if t != selected[0]))]
