"""Does the flow select the important tokens? Four ranges of the step size, C17 to C20.

The step size is told by c = (eta/2) max |alpha| |v|, the largest alignment after the embedding step.
"""

import numpy as np

from attnsel_lib.attention import attention_weights, gradient_flow, max_margin, selection_pairs

from . import alternatives, mistakes
from .instances import common_setting, full_row_rank, of_each, one_important_token_each, scores_ordered
from .ledger import Breakage, Finding, claim

DECIDED = 30.0  # log t at which a run is judged: 1 - attention is about e^-30 where it has selected
LATE = 1000.0  # log t for claims about what is permanent
ROUNDING = 1e-12  # c is set through eta
SEEDS = tuple(range(8))
HERE = "attnsel_lib.claims.selection."
# (A3), the largest score on the important token, is what a step size has to earn: no assumption here
ASSUMPTIONS = {
    "exactly one important token per sequence (A1)": of_each(one_important_token_each),
    "linearly independent embeddings (A2)": of_each(full_row_rank),
}


def at_least(d):
    """Predicate: the embedding dimension is d or more."""
    return of_each(lambda instance: instance.after.d >= d)


def below_noise(instance):
    """The alignment is below sqrt(log |S| / d), the size of the scores drawn by chance."""
    return instance.c < np.sqrt(np.log(instance.corpus.n_tokens) / instance.after.d)


def selects(instance):
    """Whether every sequence selects its important token."""
    path = gradient_flow(instance.corpus, instance.after, [DECIDED])
    return bool((path.selected == instance.important).all())


def share_that_selects(seed, dimensions, alignments, expected):
    """Finding on the share of runs, over all pairs of a dimension and an alignment, that select."""
    instances = tuple(common_setting(seed, d, c) for d in dimensions for c in alignments)
    share = float(np.mean([selects(instance) for instance in instances]))
    return Finding(share, expected, instance=instances)


@claim(
    id="C17",
    title="In the safe window every sequence selects its important token",
    statement=r"For $0.4 \le c \le 0.8$ and $d \ge 256$ the flow on $p$ selects the important token of every "
    r"sequence, in all runs.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses={
        **ASSUMPTIONS,
        "c in [0.4, 0.8]": of_each(lambda instance: 0.4 - ROUNDING <= instance.c <= 0.8 + ROUNDING),
        "d at least 256": at_least(256),
    },
    tolerance=0.0,
    why="a share of runs that must be all of them: 8 seeds, each with d = 256 and 4096 and "
    "c = 0.4 and 0.8, are 32 runs",
    boundary="a count of runs at log t = 30 on one data model, no proof; the window is not shown to be as "
    "large as it can be",
    seeds=SEEDS,
    breakages=(Breakage("plain instead of signed frequency", {alternatives.STEP: mistakes.plain_frequency}),),
)
def safe_window(seed):
    """Share of runs that select everywhere."""
    return share_that_selects(seed, (256, 4096), (0.4, 0.8), expected=1.0)


@claim(
    id="C18",
    title="Too small a step drowns in the initial scores",
    statement=r"For $c = 0.05 < \sqrt{\log|S| / d}$ at $d = 256$ no run selects the important token of every "
    r"sequence.",
    source="our statement, derived in chapter when_it_fails",
    chapter="when_it_fails",
    hypotheses={
        **ASSUMPTIONS,
        "c below sqrt(log |S| / d)": of_each(below_noise),
    },
    tolerance=0.0,
    why="a share of runs that must be none of them: one run for each of 8 seeds",
    boundary="the threshold is an order of magnitude: runs between c = 0.1 and 0.4 at this d go either way",
    seeds=SEEDS,
    breakages=(
        Breakage(
            "embeddings that start orthogonal to v",
            {"attnsel_lib.attention.initial_parameters": alternatives.without_initial_scores},
        ),
        Breakage("sum in place of mean over positions", {alternatives.STEP: alternatives.summed_positions}),
    ),
)
def too_small(seed):
    """Share of runs that select everywhere."""
    return share_that_selects(seed, (256,), (0.05,), expected=0.0)


@claim(
    id="C19",
    title="One-label takeover: the flow maximises the margin of a wrong selection",
    statement=r"For $c = 2.4$ and $d \ge 1024$ the important tokens of one label end with attention above "
    r"$1 - 10^{-6}$, those of the other below $10^{-6}$, and $p_t / |p_t|$ tends to the max-margin direction "
    r"of the selection made (cosine at $t = e^{1000}$; zero is recorded for a run without takeover).",
    source="our statement, derived in chapter when_it_fails",
    chapter="when_it_fails",
    hypotheses={
        **ASSUMPTIONS,
        "largest score on the important token (A3)": of_each(scores_ordered),
        "d at least 1024": at_least(1024),
    },
    tolerance=1e-4,
    why="the angle to the limit is of order 1/log t, so 1 - cosine is of order 1e-6 at log t = 1000",
    boundary="8 seeds with d = 1024 and 4096; which label wins depends on the seed, and larger d moves the "
    "range of c in which it happens",
    seeds=SEEDS,
    breakages=(
        Breakage(
            "no coupling of the labels through v", {HERE + "gradient_flow": alternatives.without_coupling}
        ),
        Breakage(
            "max-margin vector of the right selection",
            {HERE + "selection_pairs": alternatives.pairs_of_the_important},
        ),
    ),
)
def takeover(seed):
    """Least cosine over the dimensions."""
    instances = tuple(common_setting(seed, d, 2.4) for d in (1024, 4096))
    return Finding(min(map(_cosine_after_takeover, instances)), 1.0, instance=instances)


@claim(
    id="C20",
    title="Very large steps select again",
    statement=r"For $c = 8$ and $c = 16$ and $d \ge 256$ the flow selects the important token of every "
    r"sequence, in all runs.",
    source="our statement, derived in chapter when_it_fails",
    chapter="when_it_fails",
    hypotheses={
        **ASSUMPTIONS,
        "c at least 8": of_each(lambda instance: instance.c >= 8 - ROUNDING),
        "d at least 256": at_least(256),
    },
    tolerance=0.0,
    why="a share of runs that must be all of them: 8 seeds, each with d = 256 and 4096 and c = 8 and 16, "
    "are 32 runs",
    boundary="a count of runs on one data model, no proof",
    seeds=SEEDS,
    breakages=(
        Breakage(
            "a residual that does not saturate",
            {alternatives.WEIGHTS + "log_residual": property(alternatives.constant_residual)},
        ),
        Breakage("plain instead of signed frequency", {alternatives.STEP: mistakes.plain_frequency}),
    ),
)
def again(seed):
    """Share of runs that select everywhere."""
    return share_that_selects(seed, (256, 4096), (8.0, 16.0), expected=1.0)


def _cosine_after_takeover(instance):
    corpus = instance.corpus
    path = gradient_flow(corpus, instance.after, [LATE])
    attention = attention_weights(corpus, path.logits[-1]).toarray()
    own = attention[np.arange(corpus.n_sequences), instance.important]
    loser, winner = sorted((own[corpus.labels == 1], own[corpus.labels == -1]), key=np.mean)
    if not (loser.max() < 1e-6 and winner.min() > 1 - 1e-6):
        return 0.0
    p, limit = path.p[-1], max_margin(instance.after.E, selection_pairs(corpus, path.selected))
    return float(p @ limit.p / (np.linalg.norm(p) * limit.norm))
