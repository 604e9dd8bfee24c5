"""Claims of the chapter `one_step`: what makes the bound small, and what it is good for. C2b, C2c."""

from typing import NamedTuple

import numpy as np

from attnsel_lib import attention

from . import mistakes
from .instances import common_setting
from .ledger import Breakage, Finding, claim
from .one_step import AGAINST_V

DRAWS = 400  # draws of the initial values behind one share
EPSILON = 0.05


class Certified(NamedTuple):
    """Tokens whose sign after the step the bound certifies, and all important ones."""

    tokens: np.ndarray
    important: np.ndarray


def draws_are_many(share):
    """Enough draws to tell twice the allowed share from it by three standard errors."""
    return 3 * np.sqrt(EPSILON * (1 - EPSILON) / DRAWS) < EPSILON


def certifies_something(certified):
    """The bound is small enough to say something about the important tokens."""
    return bool(np.isin(certified.important, certified.tokens).any())


@claim(
    id="C2b",
    title="Initial logits and scores are small",
    statement=r"With independent $N(0,1/d)$ entries $\delta \le R\sqrt{2\log(2|S|/\varepsilon)/d}$, "
    r"$R=\max(\|p_0\|,\|v\|)$, with probability at least $1-\varepsilon$.",
    source="our statement, derived in chapter one_step",
    chapter="one_step",
    hypotheses={"enough draws": draws_are_many},
    tolerance=0.0,
    why="the share of draws above the bound may not exceed epsilon; a union bound is not tight, so no room "
    "for chance is needed",
    boundary="400 draws in one dimension, d = 256; the bound is of the right order, not sharp",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "entries of twice the standard deviation",
            {"attnsel_lib.attention.initial_parameters": mistakes.wide_embeddings},
        ),
    ),
)
def small_initial_values(seed):
    """Share of draws in which delta is above its bound, epsilon = 0.05."""
    rng = np.random.default_rng(seed)
    size, d = 32, 256
    above = 0
    for _ in range(DRAWS):
        params = attention.initial_parameters(size, d, rng)
        delta = max(np.abs(params.logits).max(), np.abs(params.gamma).max())
        radius = max(np.linalg.norm(params.p), np.linalg.norm(params.v))
        above += delta > radius * np.sqrt(2 * np.log(2 * size / EPSILON) / d)
    return Finding(above / DRAWS, EPSILON, "at most", instance=above)


@claim(
    id="C2c",
    title="Certified scores have the sign of the signed frequency",
    statement=r"If $\frac\eta2|\alpha_s|\|v\|^2 > \delta + \eta\phi_s B\|v\|$, then "
    r"$E_1[s]\cdot v$ has the sign of $\alpha_s$.",
    source="our statement, derived in chapter one_step",
    chapter="one_step",
    hypotheses={"some important token is certified": certifies_something},
    tolerance=0.0,
    why="it is a theorem: no certified token may have the wrong sign",
    boundary="d = 16,384; at small d the bound certifies nothing",
    seeds=(0, 1, 2, 3, 4),
    breakages=(AGAINST_V,),
)
def certified_signs(seed):
    """Certified tokens with the wrong sign."""
    setting = common_setting(seed, d=16_384, c=2.0)
    corpus, before = setting.corpus, setting.before
    delta = max(np.abs(before.logits).max(), np.abs(before.gamma).max())
    bound = attention.step_error_bound(corpus, before, setting.eta)
    certified = np.abs(attention.predicted_alignment(corpus, setting.eta)) > delta + bound
    wrong = np.sign(setting.after.gamma) != np.sign(corpus.signed_frequency())
    tokens = Certified(np.flatnonzero(certified), np.unique(setting.important))
    return Finding((certified & wrong).sum(), 0.0, instance=tokens)
