"""Claims of the chapter `model`: the gradients, and what the signed frequency is. C1, C1b, C7, C8."""

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from attnsel_lib import attention
from attnsel_lib.attention import Parameters
from attnsel_lib.attention.synthetic import one_important_token
from attnsel_lib.corpus import TokenCounts

from . import mistakes
from .ledger import Breakage, Finding, claim

TINY = 1e-30  # imaginary step of a derivative; its error is TINY^2, far below rounding
SIGNED_FREQUENCY = "attnsel_lib.corpus.TokenCounts.signed_frequency"
PLAIN = Breakage("plain instead of signed frequency", {SIGNED_FREQUENCY: TokenCounts.frequency})


class Sequences(NamedTuple):
    """A corpus with the sequences it was counted from and the tokens called important."""

    corpus: TokenCounts
    sequences: list
    important: np.ndarray


def random_sequences(rng, n=24, size=9):
    """Sequences of length 1 to 7 with repeated tokens, labels in turn."""
    sequences = [rng.integers(size, size=rng.integers(1, 8)) for _ in range(n)]
    labels = np.where(np.arange(n) % 2, 1, -1)
    return Sequences(TokenCounts.from_sequences(sequences, labels, size), sequences, np.array([], int))


def literal_loss(sequences, labels, E, p, v):
    """The loss as it is defined, position by position; analytic in its arguments."""
    outputs = []
    for sequence in sequences:
        logits = E[sequence] @ p
        weights = np.exp(logits - logits.real.max())
        outputs.append(weights @ (E[sequence] @ v) / weights.sum())
    return np.log1p(np.exp(-labels * np.array(outputs))).mean()


def literal_gradients(sequences, labels, params):
    """Derivative of `literal_loss` in every entry by an imaginary step, no formula involved."""
    parts = [params.E.astype(complex), params.p.astype(complex), params.v.astype(complex)]
    derivatives = [np.zeros(part.shape) for part in parts]
    for part, derivative in zip(parts, derivatives, strict=True):
        for index in np.ndindex(part.shape):
            part[index] += 1j * TINY
            derivative[index] = literal_loss(sequences, labels, *parts).imag / TINY
            part[index] -= 1j * TINY
    return Parameters(*derivatives)


def has_repeated_tokens(drawn):
    """Some token occurs twice in a sequence."""
    return bool(drawn.corpus.counts.max() > 1)


def has_unequal_lengths(drawn):
    """Sequences differ in length."""
    return len(np.unique(drawn.corpus.lengths)) > 1


def has_equal_lengths(drawn):
    """All sequences have one length."""
    return len(np.unique(drawn.corpus.lengths)) == 1


def holds_one_important(drawn):
    """Each sequence holds one important token, once, which is never seen with the other label."""
    counts, labels = drawn.corpus.counts[:, drawn.important].toarray(), drawn.corpus.labels
    one_sided = ((labels @ counts).__abs__() == counts.sum(axis=0)).all()
    return bool(one_sided and (counts.sum(axis=1) == 1).all())


@claim(
    id="C1",
    title="The gradients are a v^T + w p^T, E^T w and E^T a",
    statement=r"$\nabla_E L = a v^\top + w p^\top$, $\nabla_p L = E^\top w$ and $\nabla_v L = E^\top a$ with "
    r"$a_s = -\frac1n\sum_i y_i g_i A_{is}$ and $w_s = -\frac1n\sum_i y_i g_i A_{is}(\gamma_s - f_i)$.",
    source="our statement, derived in chapter model",
    chapter="model",
    hypotheses={"repeated tokens": has_repeated_tokens, "unequal lengths": has_unequal_lengths},
    tolerance=1e-12,
    why="largest error relative to the largest entry; both sides are exact up to a few hundred roundings of "
    "1e-16, since the derivative by an imaginary step has no truncation error",
    boundary="corpora of 24 short sequences, logits up to about 60; late times of the flow are claims C9 "
    "to C13",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "the attention weights treated as constants (w = 0)",
            {"attnsel_lib.attention.model.gradient_factors": mistakes.without_covariance},
        ),
        Breakage(
            "gamma in place of gamma - f",
            {"attnsel_lib.attention.model.gradient_factors": mistakes.uncentred},
        ),
        Breakage(
            "attention that ignores repeated tokens",
            {"attnsel_lib.attention.gradients": mistakes.each_type_once},
        ),
    ),
)
def gradients(seed):
    """Largest relative error over small and large logits."""
    rng = np.random.default_rng(seed)
    drawn = random_sequences(rng)
    drawn_params = attention.initial_parameters(drawn.corpus.n_tokens, 5, rng)
    errors = []
    for scale in (1.0, 30.0):  # the second is beyond the range in which one common maximum serves all
        params = Parameters(drawn_params.E, scale * drawn_params.p, drawn_params.v)
        ours = attention.gradients(drawn.corpus, params)
        exact = literal_gradients(drawn.sequences, drawn.corpus.labels, params)
        for name in ("E", "p", "v"):
            expected = getattr(exact, name)
            errors.append(np.abs(getattr(ours, name) - expected).max() / np.abs(expected).max())
    return Finding(max(errors), 0.0, instance=drawn)


@claim(
    id="C1b",
    title="The gradient on p is a sum over pairs of tokens",
    statement=r"$\nabla_p f_i = \sum_{\{s,t\}} A_{is}A_{it}(\gamma_s-\gamma_t)(E_s-E_t)$, the covariance of "
    r"score and embedding under the attention.",
    source="our statement, derived in chapter model",
    chapter="model",
    hypotheses={"repeated tokens": has_repeated_tokens, "unequal lengths": has_unequal_lengths},
    tolerance=1e-12,
    why="largest error relative to the largest entry; both sides are sums of a few hundred floats",
    boundary="logits of order one; where pairs decide the direction late in the flow, see claim C31",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "gamma in place of gamma - f",
            {"attnsel_lib.attention.model.gradient_factors": mistakes.uncentred},
        ),
        Breakage(
            "attention that ignores repeated tokens",
            {"attnsel_lib.attention.gradients": mistakes.each_type_once},
        ),
    ),
)
def pairs_of_tokens(seed):
    """Largest relative difference between dL/dp and the sum over pairs."""
    rng = np.random.default_rng(seed)
    drawn = random_sequences(rng)
    params = attention.initial_parameters(drawn.corpus.n_tokens, 5, rng)
    expected = np.zeros(5)
    for sequence, y in zip(drawn.sequences, drawn.corpus.labels, strict=True):
        E, gamma = params.E[sequence], params.gamma[sequence]
        weights = np.exp(E @ params.p) / np.exp(E @ params.p).sum()
        residual = 1 / (1 + np.exp(y * (weights @ gamma)))
        for s, t in combinations(range(len(sequence)), 2):
            expected -= y * residual * weights[s] * weights[t] * (gamma[s] - gamma[t]) * (E[s] - E[t])
    expected /= len(drawn.sequences)
    error = np.abs(attention.gradients(drawn.corpus, params).p - expected).max()
    return Finding(error / np.abs(expected).max(), 0.0, instance=drawn)


@claim(
    id="C7",
    title="alpha = phi lambda, and one-sided tokens are those with |alpha| = phi",
    statement=r"$\alpha_s = \phi_s \lambda_s$ with $\lambda_s = P(y{=}{+}1\mid s) - P(y{=}{-}1\mid s)$, and "
    r"a token is seen with one label only exactly if $|\alpha_s| = \phi_s$.",
    source="our statement, derived in chapter model",
    chapter="model",
    hypotheses={"unequal lengths": has_unequal_lengths, "repeated tokens": has_repeated_tokens},
    tolerance=1e-14,
    why="fractions without rounding against sums of 24 floats; a token on the wrong side of the equivalence "
    "adds one",
    boundary="an identity of finite corpora: it says nothing of how far lambda is estimated",
    seeds=(0, 1, 2),
    breakages=(
        PLAIN,
        Breakage("all positions pooled", {SIGNED_FREQUENCY: mistakes.pooled_frequency}),
    ),
)
def factorisation(seed):
    """Largest error of alpha = phi lambda, plus the number of tokens on the wrong side."""
    rng = np.random.default_rng(seed)
    drawn = random_sequences(rng, n=24, size=40)
    alpha, phi = drawn.corpus.signed_frequency(), drawn.corpus.frequency()
    positive, negative = (_probability(drawn, label) for label in (1, -1))
    seen = [s for s in range(drawn.corpus.n_tokens) if positive[s] + negative[s]]
    lam = np.array([float((positive[s] - negative[s]) / (positive[s] + negative[s])) for s in seen])
    one_sided = np.array([not (positive[s] and negative[s]) for s in seen])
    wrong = one_sided != (np.abs(np.abs(alpha[seen]) - phi[seen]) < 1e-14)
    return Finding(np.abs(alpha[seen] - phi[seen] * lam).max() + wrong.sum(), 0.0, instance=drawn)


@claim(
    id="C8",
    title="The signed frequencies of the important tokens add up to the label imbalance over T",
    statement=r"If every sequence of length $T$ holds one important token, once, then "
    r"$\sum_{s\ \mathrm{important}} \alpha_s = (n_+ - n_-)/(nT)$, which is zero for balanced labels.",
    source="our statement, derived in chapter model",
    chapter="model",
    hypotheses={"one important token per sequence": holds_one_important, "equal lengths": has_equal_lengths},
    tolerance=1e-15,
    why="eight sums of at most 64 numbers of size 1/512",
    boundary="an identity; with repeated important tokens each occurrence counts",
    seeds=(0, 1, 2, 3),
    breakages=(
        PLAIN,
        Breakage("no division by the length", {SIGNED_FREQUENCY: mistakes.undivided_frequency}),
    ),
)
def imbalance(seed):
    """Sum over the important tokens: seed 0 balanced, the others with some negative sequences removed."""
    rng = np.random.default_rng(seed)
    data = one_important_token(rng)
    keep = (data.corpus.labels == 1) | (rng.random(data.corpus.n_sequences) < (0.4 if seed else 1.0))
    corpus = data.corpus.subset(keep)
    important = np.unique(data.important)
    n_positive, n_negative = (corpus.labels == 1).sum(), (corpus.labels == -1).sum()
    length = corpus.lengths[0]
    expected = (n_positive - n_negative) / (corpus.n_sequences * length)
    return Finding(
        corpus.signed_frequency()[important].sum(), expected, instance=Sequences(corpus, [], important)
    )


def _probability(drawn, label):
    """P(s, y = label) of each token, a random position of a random sequence, as exact fractions."""
    total = [Fraction(0)] * drawn.corpus.n_tokens
    for sequence, y in zip(drawn.sequences, drawn.corpus.labels, strict=True):
        if y == label:
            for s in sequence:
                total[s] += Fraction(1, len(sequence) * len(drawn.sequences))
    return total
