"""Claims of the chapter `flow`: what p does once the embeddings are frozen. C9 to C11, C13."""

import numpy as np
from scipy.special import logsumexp

from attnsel_lib import attention

from . import mistakes
from .instances import ASSUMPTIONS, common_setting
from .ledger import Breakage, Finding, claim

TEMPERATURE = Breakage(
    "attention at temperature two", {"attnsel_lib.attention.gradient_flow": mistakes.at_temperature_two}
)
LAZY = Breakage(
    "direction of the first gradient kept", {"attnsel_lib.attention.gradient_flow": mistakes.lazy_flow}
)
SWAPPED = Breakage(
    "pairs told the wrong way round", {"attnsel_lib.attention.selection_pairs": mistakes.swapped_pairs}
)


def lookup_direction(instance):
    """p_sel with p_sel.E_s = 1 for important tokens and 0 for the others; exists for independent rows."""
    marks = np.isin(np.arange(instance.corpus.n_tokens), instance.important).astype(float)
    return np.linalg.lstsq(instance.after.E, marks)[0]


def own_margin(instance):
    """Max-margin solution of the selection of the important tokens, and its pairs."""
    pairs = attention.selection_pairs(instance.corpus, instance.important)
    return attention.max_margin(instance.after.E, pairs), pairs


def log_inattention(instance, logits):
    """log(1 - attention on the important token) of each sequence, (n,), from the definition."""
    counts = instance.corpus.counts.toarray()
    others = counts.copy()
    others[np.arange(len(others)), instance.important] = 0
    return logsumexp(logits, axis=1, b=others) - logsumexp(logits, axis=1, b=counts)


@claim(
    id="C9",
    title="p moves along the lookup direction at all times",
    statement=r"$\langle p_t, p_{\mathrm{sel}}\rangle$ with $p_{\mathrm{sel}}\cdot E_s = 1$ on important and "
    r"$0$ on other tokens increases strictly, so that the flow has no stationary point.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses=ASSUMPTIONS,
    tolerance=0.0,
    why="share of 39 intervals between log t = -4 and 1000 on which the product increases: all of them",
    boundary="increase between samples; that the derivative is positive everywhere is the proof",
    seeds=(0, 1, 2),
    breakages=(
        Breakage("sign of the gradient wrong", {"attnsel_lib.attention.gradient_flow": mistakes.uphill_flow}),
        Breakage("a flow that stops at t = 1", {"attnsel_lib.attention.gradient_flow": mistakes.stopped}),
    ),
)
def lookup_progress(seed):
    """Share of intervals with progress."""
    instance = common_setting(seed)
    times = np.append(np.linspace(-4, 30, 35), [100, 200, 400, 700, 1000])
    path = attention.gradient_flow(instance.corpus, instance.after, times)
    steps = np.diff(path.p @ lookup_direction(instance))
    return Finding(float((steps > 0).mean()), 1.0, instance=instance)


@claim(
    id="C9b",
    title="|p| grows like |p_mm| log t",
    statement=r"$\|p_t\| \to \infty$, and its slope in $\log t$ tends to $\|p_{\mathrm{mm}}\|$.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses=ASSUMPTIONS,
    tolerance=1e-4,
    why="with p = p_mm log t + rho + ... the slope between log t = 300 and 1000 differs by |rho|^2 / "
    "(300,000 |p_mm|), of order 1e-5",
    boundary="draws of the common setting up to t = e^1000",
    seeds=(0, 1, 2),
    breakages=(
        TEMPERATURE,
        LAZY,
        Breakage("margin vector of length one", {"attnsel_lib.attention.max_margin": mistakes.unit_margin}),
    ),
)
def norm_growth(seed):
    """Slope of the norm in log t."""
    instance = common_setting(seed)
    path = attention.gradient_flow(instance.corpus, instance.after, [300.0, 1000.0])
    early, late = np.linalg.norm(path.p, axis=1)
    return Finding((late - early) / 700, own_margin(instance)[0].norm, instance=instance)


@claim(
    id="C10",
    title="The direction of p tends to the max-margin direction",
    statement=r"$p_t / \|p_t\| \to p_{\mathrm{mm}} / \|p_{\mathrm{mm}}\|$ for the selection of the important "
    r"tokens.",
    source="the abstract (arXiv v3) says that the resulting <cls> embedding maximises the margin of the "
    "selection; the precise statement is ours, derived in chapter flow",
    chapter="flow",
    hypotheses=ASSUMPTIONS,
    tolerance=1e-5,
    why="one minus the cosine at log t = 1000, where an angle of order 1/log t leaves about 1e-6",
    boundary="draws of the common setting; how fast the angle falls is claim C29",
    seeds=(0, 1, 2),
    breakages=(
        LAZY,
        SWAPPED,
        Breakage(
            "mean difference in place of the max-margin vector",
            {"attnsel_lib.attention.max_margin": mistakes.mean_difference},
        ),
    ),
)
def direction(seed):
    """Cosine between p_t and the max-margin vector."""
    instance = common_setting(seed)
    p = attention.gradient_flow(instance.corpus, instance.after, [1000.0]).p[-1]
    limit = own_margin(instance)[0].p
    cosine = p @ limit / (np.linalg.norm(p) * np.linalg.norm(limit))
    return Finding(cosine, 1.0, instance=instance)


@claim(
    id="C11",
    title="Every supporting gap grows like log t",
    statement=r"$p_t\cdot(E_s - E_t) = \log t + O(1)$ for every pair on the support of the margin.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses=ASSUMPTIONS,
    tolerance=1e-5,
    why="slope between log t = 100 and 1000 of the gap that is farthest from one: the remainder is below "
    "e^-19, the integrator's share about 1e-7",
    boundary="draws of the common setting, in which nearly all pairs are on the support",
    seeds=(0, 1, 2),
    breakages=(
        TEMPERATURE,
        LAZY,
        SWAPPED,
    ),
)
def gap_growth(seed):
    """Slope of the supporting gap that is farthest from one."""
    instance = common_setting(seed)
    path = attention.gradient_flow(instance.corpus, instance.after, [100.0, 1000.0])
    solution, pairs = own_margin(instance)
    s, t = pairs[solution.support].T
    slopes = np.diff(path.logits[:, s] - path.logits[:, t], axis=0)[0] / 900
    return Finding(slopes[np.argmax(np.abs(slopes - 1))], 1.0, instance=instance)


@claim(
    id="C13",
    title="The attention on everything else falls like 1/t",
    statement=r"$t\,(1 - a_{i*})$ tends to a positive constant for every sequence.",
    source="our statement, derived in chapter flow",
    chapter="flow",
    hypotheses=ASSUMPTIONS,
    tolerance=1e-3,
    why="logarithm of the ratio of its values at t = e^1000 and e^100, of the sequence farthest from zero; "
    "900 integrator steps' worth of a relative 1e-7",
    boundary="the value of the constant follows from claim C32",
    seeds=(0, 1, 2),
    breakages=(
        LAZY,
        Breakage(
            "attention read at temperature two",
            {"attnsel_lib.claims.flow.logsumexp": mistakes.logsumexp_at_temperature_two},
        ),
    ),
)
def inattention(seed):
    """Change of log t (1 - a) over 900 e-folds of time."""
    instance = common_setting(seed)
    path = attention.gradient_flow(instance.corpus, instance.after, [100.0, 1000.0])
    early, late = (log_inattention(instance, z) + tau for tau, z in zip(path.log_t, path.logits, strict=True))
    change = late - early
    return Finding(change[np.argmax(np.abs(change))], 0.0, instance=instance)
