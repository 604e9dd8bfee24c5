"""Claims of the chapter `imdb`: the one-step law and the U on 20,000 reviews. C28, C28b."""

from typing import NamedTuple

import numpy as np

from attnsel_lib import attention
from attnsel_lib.attention import Parameters
from attnsel_lib.corpus import TokenCounts, load_corpus

from . import mistakes
from .ledger import Breakage, Finding, claim

FREQUENT = 50  # occurrences from which a token's posterior difference is known to about 0.1
SOURCE = "our statement, measured in chapter imdb"


class Reviews(NamedTuple):
    """Training corpus and initial parameters of the chapter, d = 256."""

    corpus: TokenCounts
    params: Parameters


def training_reviews(seed):
    """The split of the chapter: 20,000 reviews, words seen at least five times."""
    rng = np.random.default_rng(seed)
    texts, _ = load_corpus("imdb").split(20_000, rng)
    corpus = TokenCounts.from_texts(texts.texts, texts.labels, min_count=5)
    return Reviews(corpus, attention.initial_parameters(corpus.n_tokens, 256, rng))


def trained(reviews, steps=30):
    """Parameters after joint training of E and p by Adam."""
    return attention.train(reviews.corpus, reviews.params, steps, record_every=steps).kept[steps]


def nearly_balanced(reviews):
    """The mean label is below 0.02."""
    return bool(abs(reviews.corpus.labels.mean()) < 0.02)


@claim(
    id="C28",
    title="One step aligns 27,000 words with v in proportion to their signed frequency",
    statement=r"On 20,000 IMDB reviews with $d = 256$ the correlation over tokens of the coefficient of $v$ "
    r"in $E_1[s] - E_0[s]$ with $\frac\eta2\alpha_s$ is at least 0.995.",
    source=SOURCE,
    chapter="imdb",
    hypotheses={"nearly balanced labels": nearly_balanced},
    tolerance=0.0,
    why="the expected value is our threshold; the error of relative order sqrt(log |S| / d) = 0.2 follows "
    "the plain frequency and is small against the spread of alpha",
    boundary="one data set, one tokeniser, one draw; alignment over all tokens says little of a rare one",
    expensive="reads and counts 20,000 reviews",
    breakages=(
        Breakage(
            "plain instead of signed frequency",
            {"attnsel_lib.attention.predicted_alignment": mistakes.plain_alignment},
        ),
        Breakage("wrong sign of v", {mistakes.STEP: mistakes.against_v}),
    ),
)
def alignment(seed):
    """Correlation of measured and predicted coefficients."""
    reviews = training_reviews(seed)
    after = attention.embedding_step(reviews.corpus, reviews.params, 1.0)
    measured = attention.measured_alignment(reviews.params, after)
    predicted = attention.predicted_alignment(reviews.corpus, 1.0)
    return Finding(np.corrcoef(measured, predicted)[0, 1], 0.995, "at least", reviews)


@claim(
    id="C28b",
    title="The U: trained logits grow with the square of the posterior difference",
    statement=r"After 30 Adam steps on $E$ and $p$ a parabola in $\lambda$ with positive quadratic "
    r"coefficient explains more than half of the variance of the logits $E_s\cdot p$ of frequent words.",
    source="the U is shown in a public summary of the paper; our statement, measured in chapter imdb",
    chapter="imdb",
    hypotheses={"nearly balanced labels": nearly_balanced},
    tolerance=0.0,
    why="the expected value is our threshold; R^2 counts as negative if the parabola opens downwards",
    boundary="a description of one run, 30 steps of a chosen size; the theory's own protocol (one step, then "
    "p alone) does not give a U on these data",
    expensive="reads 20,000 reviews and trains seven million parameters",
    breakages=(
        Breakage("no training", {"attnsel_lib.claims.imdb.trained": lambda reviews: reviews.params}),
        Breakage(
            "plain frequency in place of lambda",
            {"attnsel_lib.corpus.TokenCounts.posterior_difference": TokenCounts.frequency},
        ),
    ),
)
def u_shape(seed):
    """R^2 of the parabola, with the sign of its quadratic coefficient."""
    reviews = training_reviews(seed)
    frequent = reviews.corpus.token_counts >= FREQUENT
    lam = reviews.corpus.posterior_difference()[frequent]
    fit = attention.quadratic_fit(lam, trained(reviews).logits[frequent])
    return Finding(np.sign(fit.quadratic) * fit.r_squared, 0.5, "at least", reviews)
