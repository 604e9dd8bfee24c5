"""Claim of the chapter `margin`: orthonormal rows leave no wrong selection to settle on. C35."""

from itertools import product
from typing import NamedTuple

import numpy as np

from attnsel_lib import attention
from attnsel_lib.corpus import TokenCounts

from . import mistakes
from .ledger import Breakage, Finding, claim

INSTANCES = 12  # random corpora per seed, each with every selection tried
TIGHT = 1e-6


class Tried(NamedTuple):
    """What was tried: wrong selections that can be separated, and whether scores were ordered (A3)."""

    separable: int
    ordered: bool


def score_leads(labels, gamma, i, s, t):
    """y_i (gamma_s - gamma_t): positive where attending to s rather than t serves sequence i."""
    return labels[i] * (gamma[s] - gamma[t])


def tight_pairs(sequences, selected, p):
    """(i, s, t) of smallest margin, for orthonormal rows: p_s - p_t = 1."""
    pairs = [(i, s, t) for i, s in enumerate(selected) for t in sequences[i] if t != s]
    return [(i, s, t) for i, s, t in pairs if p[s] - p[t] < 1 + TIGHT]


def qualifies(sequences, labels, gamma, selected):
    """Whether a selection has a max-margin vector all of whose tight pairs have the right sign.

    None if no vector separates it.
    """
    pairs = np.unique([(s, t) for i, s in enumerate(selected) for t in sequences[i] if t != s], axis=0)
    try:
        p = attention.max_margin(np.eye(len(gamma)), pairs).p
    except ValueError:
        return None
    tight = tight_pairs(sequences, selected, p)
    return all(score_leads(labels, gamma, i, s, t) > 0 for i, s, t in tight)


def small_corpus(rng):
    """Four sequences of three tokens, one important in each, three irrelevant ones; scores as (A3) wants."""
    labels = np.array([1, -1, 1, -1])
    sequences = [[0 if y > 0 else 1, *(2 + rng.choice(3, 2, replace=False))] for y in labels]
    gamma = np.concatenate([[1.0, -1.0], rng.uniform(-0.9, 0.9, 3)])
    TokenCounts.from_sequences(sequences, labels, 5)  # refuses what is no corpus
    return [[int(s) for s in sequence] for sequence in sequences], labels, gamma


@claim(
    id="C35",
    title="With orthonormal rows no wrong selection qualifies as a limit",
    statement=r"If $EE^\top = I$ and the scores are ordered (A3), every wrong selection that a vector "
    r"separates has a pair of smallest margin on which $y_i(\gamma_{s_i}-\gamma_t) \le 0$.",
    source="our statement, derived in chapter margin",
    chapter="margin",
    hypotheses={
        "wrong selections were separable": lambda tried: tried.separable > 0,
        "ordered scores (A3)": lambda tried: tried.ordered,
    },
    tolerance=0.0,
    why="it is a theorem: none of the selections that are tried one by one may qualify",
    boundary="all 81 selections of 12 small corpora a seed; tilted rows are another matter, see claim C19",
    seeds=(0, 1, 2),
    breakages=(
        Breakage(
            "the sign of the scores forgotten",
            {"attnsel_lib.claims.wrong_selections.score_leads": mistakes.any_sign},
        ),
        Breakage(
            "only one tight pair looked at",
            {"attnsel_lib.claims.wrong_selections.tight_pairs": mistakes.first_pair},
        ),
    ),
)
def wrong_selections(seed):
    """Wrong selections that qualify, of all that can be separated."""
    rng = np.random.default_rng(seed)
    qualifying, separable, ordered = 0, 0, True
    for _ in range(INSTANCES):
        sequences, labels, gamma = small_corpus(rng)
        right = tuple(sequence[0] for sequence in sequences)
        for selected in product(*sequences):
            found = qualifies(sequences, labels, gamma, selected) if selected != right else None
            separable += found is not None
            qualifying += found is True
        ordered &= bool((labels * gamma[list(right)] > np.abs(gamma[2:]).max()).all())
    return Finding(qualifying, 0.0, instance=Tried(separable, ordered))
