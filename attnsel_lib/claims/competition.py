"""Claims on which token wins: no step on E, and two important tokens in one sequence. C24, C25."""

from dataclasses import replace

import numpy as np

from attnsel_lib import attention
from attnsel_lib.corpus import TokenCounts

from . import mistakes
from .instances import Instance, common_setting, full_row_rank, one_important_token_each
from .ledger import Breakage, Finding, claim

STRONG, WEAK = 0, 1  # positive tokens, seen in 30 and 20 of 60 sequences; token 2 is the negative one
LATE = 100.0  # log t at which the remainder of the flow is about e^-19
DECIDED = 26.0  # log t to which a flow without order among its scores is followed


def without_step(instance):
    """The instance whose embeddings stay as they were drawn."""
    return replace(instance, after=instance.before)


def two_positive_tokens(seed, d=4096, c=0.6):
    """Of 60 sequences of length 7, ten hold both positive tokens, 20 and 10 the strong or the weak one."""
    rng = np.random.default_rng(seed)
    important = [[STRONG]] * 20 + [[WEAK]] * 10 + [[STRONG, WEAK]] * 10 + [[2]] * 20
    sequences = [own + list(3 + rng.permutation(20)[: 7 - len(own)]) for own in important]
    labels = np.where(np.arange(60) < 40, 1, -1)
    corpus = TokenCounts.from_sequences(sequences, labels, 23)
    before = attention.initial_parameters(23, d, rng)
    eta = attention.step_for_alignment(corpus, c)
    after = attention.embedding_step(corpus, before, eta)
    return Instance(corpus, np.array([own[0] for own in important]), before, after, eta)


def strong_is_stronger(instance):
    """Of the two positive tokens the strong one has the larger signed frequency and score."""
    alpha, gamma = instance.corpus.signed_frequency(), instance.after.gamma
    return bool(alpha[STRONG] > alpha[WEAK] > 0 and gamma[STRONG] > gamma[WEAK])


@claim(
    id="C24",
    title="Without the step on E, attention alone cannot classify",
    statement=r"With $E_0$ frozen the loss stays above $\log 2 - \sqrt{2\log|S|/d}/2$, since no output "
    r"exceeds $\max_s|\gamma_s|$, which Gaussian embeddings make that small.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses={
        "exactly one important token per sequence (A1)": one_important_token_each,
        "linearly independent embeddings (A2)": full_row_rank,
    },
    tolerance=0.0,
    why="the expected value is the floor, from the mean size of the largest of |S| Gaussian scores",
    boundary="a floor of the loss, not of the error rate: small outputs may still have the right sign",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "the step is taken", {"attnsel_lib.claims.competition.without_step": lambda instance: instance}
        ),
        Breakage(
            "scores of order one",
            {"attnsel_lib.attention.initial_parameters": mistakes.scores_of_order_one},
        ),
    ),
)
def loss_floor(seed):
    """Loss at t = e^26 with the embeddings as drawn."""
    instance = without_step(common_setting(seed))
    p = attention.gradient_flow(instance.corpus, instance.after, [DECIDED]).p[-1]
    loss = attention.loss(instance.corpus, replace(instance.after, p=p))
    floor = np.log(2) - np.sqrt(2 * np.log(instance.corpus.n_tokens) / instance.after.d) / 2
    return Finding(loss, floor, "at least", instance)


@claim(
    id="C25",
    title="Of two positive tokens in a sequence the more frequent one wins",
    statement=r"In sequences that hold two positive tokens, the attention on the one of smaller $\alpha$ "
    r"decays like $t^{-m}$ with $m = p_{\mathrm{mm}}\cdot(E_{\mathrm{strong}} - E_{\mathrm{weak}}) \ge 1$; "
    r"$m = 1$ if they support the margin.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses={
        "larger signed frequency and score of the strong token": strong_is_stronger,
        "linearly independent embeddings (A2)": full_row_rank,
    },
    tolerance=1e-5,
    why="slope of the log attention between log t = 100 and 1000, the remainder being below e^-19",
    boundary="one design of 60 sequences, in which both tokens also occur alone",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "pairs told the wrong way round",
            {"attnsel_lib.attention.selection_pairs": mistakes.swapped_pairs},
        ),
        Breakage(
            "direction of the first gradient kept",
            {"attnsel_lib.attention.gradient_flow": mistakes.lazy_flow},
        ),
        Breakage(
            "attention at temperature two",
            {"attnsel_lib.attention.gradient_flow": mistakes.at_temperature_two},
        ),
    ),
)
def weaker_token(seed):
    """Slope of the log attention on the weak token in sequences with both, against -m."""
    instance = two_positive_tokens(seed)
    z = attention.gradient_flow(instance.corpus, instance.after, [LATE, 10 * LATE]).logits
    lag = z[:, WEAK] - z[:, STRONG]  # the strong token takes all attention, or the slope is not -m
    pairs = attention.selection_pairs(instance.corpus, instance.important)
    p = attention.max_margin(instance.after.E, pairs).p
    expected = -p @ (instance.after.E[STRONG] - instance.after.E[WEAK])
    return Finding((lag[1] - lag[0]) / (9 * LATE), expected, instance=instance)
