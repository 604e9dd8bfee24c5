"""Claims on the closed form of the max-margin vector, for complete and incomplete co-occurrence. C14, C16."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from attnsel_lib import attention

from . import mistakes
from .instances import of_each
from .ledger import Breakage, Finding, claim

SAME = 1e-9  # relative difference of two norms called equal: the solver's are near 1e-12
UNIT = Breakage("margin vector of length one", {"attnsel_lib.attention.max_margin": mistakes.unit_margin})


class Idealised(NamedTuple):
    """Orthonormal embeddings E_s = e_s + c_s v of K important and M irrelevant tokens, and their pairs."""

    c: np.ndarray
    n_irrelevant: int
    E: np.ndarray
    pairs: np.ndarray


def idealised(c, n_irrelevant, meets=None):
    """Build E in the basis e_1.., v; `meets` (K, M) bool says which tokens co-occur, all by default."""
    K = len(c)
    E = np.eye(K + n_irrelevant, K + n_irrelevant + 1)
    E[:K, -1] = c
    s, t = np.nonzero(np.ones((K, n_irrelevant), bool) if meets is None else meets)
    return Idealised(np.asarray(c), n_irrelevant, E, np.column_stack([s, K + t]))


def closed_form_applies(drawn):
    """c_s w is at most the important logit for every s."""
    return attention.closed_form_margin(drawn.c, drawn.n_irrelevant).valid


def flow_exists(drawn):
    """Whether the pairs can carry lam >= 0 from supplies 1 + q - c_s w to demands -q: a linear programme."""
    closed = attention.closed_form_margin(drawn.c, drawn.n_irrelevant)
    incidence = np.zeros((len(drawn.E), len(drawn.pairs)))
    incidence[drawn.pairs.T, np.arange(len(drawn.pairs))] = 1
    supply = closed.important_logit - drawn.c * closed.v_component
    demand = np.full(drawn.n_irrelevant, -closed.irrelevant_logit)
    answer = linprog(
        np.zeros(len(drawn.pairs)), A_eq=incidence, b_eq=np.append(supply, demand), method="highs"
    )
    return answer.status == 0


def random_graph(rng, probability, size):
    """Important and irrelevant tokens that meet at random, each token at least once, K = 5, M = 8."""
    meets = rng.random((5, 8)) < probability
    meets[np.arange(5), rng.integers(8, size=5)] = True
    meets[rng.integers(5, size=8), np.arange(8)] = True
    return idealised(rng.normal(scale=size, size=5), 8, meets)


def equals_closed_form(drawn):
    """Whether the solver's |p_mm|^2 is that of complete co-occurrence."""
    closed = attention.closed_form_margin(drawn.c, drawn.n_irrelevant)
    return abs(attention.max_margin(drawn.E, drawn.pairs).norm ** 2 / closed.norm_squared - 1) < SAME


@claim(
    id="C14",
    title="Closed form of the margin for orthonormal embeddings",
    statement=r"For orthonormal $e_s$, $v$, $E_s = e_s + c_s v$ on $K$ important and $E_t = e_t$ on $M$ "
    r"irrelevant tokens that all meet: $\|p_{\mathrm{mm}}\|^2 = K_{\mathrm{eff}}M/(K_{\mathrm{eff}}+M)$, "
    r"$K_{\mathrm{eff}} = K - (\sum c)^2/(1 + \sum c^2)$.",
    source="our statement, derived in chapter margin",
    chapter="margin",
    hypotheses={"c_s w at most the important logit": of_each(closed_form_applies)},
    tolerance=1e-6,
    why="largest relative difference over 20 draws; the solver certifies a duality gap below 1e-8",
    boundary="exact orthonormality; Gaussian embeddings come close at large d (claim C15)",
    seeds=(0, 1, 2),
    breakages=(
        UNIT,
        Breakage(
            "K in place of K_eff", {"attnsel_lib.attention.closed_form_margin": mistakes.balanced_closed_form}
        ),
        Breakage(
            "mean difference in place of the max-margin vector",
            {"attnsel_lib.attention.max_margin": mistakes.mean_difference},
        ),
    ),
)
def closed_form(seed):
    """Largest relative difference between solver and closed form."""
    rng = np.random.default_rng(seed)
    draws = (idealised(rng.normal(size=rng.integers(2, 9)), int(rng.integers(2, 12))) for _ in range(200))
    drawn = [draw for draw in draws if closed_form_applies(draw)][:20]
    errors = []
    for draw in drawn:
        closed = attention.closed_form_margin(draw.c, draw.n_irrelevant)
        errors.append(abs(attention.max_margin(draw.E, draw.pairs).norm ** 2 / closed.norm_squared - 1))
    return Finding(max(errors), 0.0, instance=tuple(drawn))


@claim(
    id="C16",
    title="Incomplete co-occurrence: the closed form holds exactly if a flow exists",
    statement=r"With tokens that meet along a bipartite graph, $\|p_{\mathrm{mm}}\|^2$ is that of the "
    r"complete graph exactly if a flow $\lambda \ge 0$ on the edges has supplies $1 + q - c_s w$ and demands "
    r"$-q$.",
    source="our statement, derived in chapter margin",
    chapter="margin",
    tolerance=0.0,
    why="number of random graphs on which linear programme and max-margin solver agree, of 60: all must",
    boundary="K = 5 and M = 8, with c = 0 on half of the graphs and Gaussian c on the others",
    seeds=(0,),
    breakages=(
        UNIT,
        Breakage(
            "demand of one per irrelevant token",
            {"attnsel_lib.attention.closed_form_margin": mistakes.unit_logits},
        ),
        Breakage(
            "flow of either sign",
            {"attnsel_lib.claims.co_occurrence.linprog": mistakes.linprog_of_either_sign},
        ),
    ),
)
def flow_criterion(seed):
    """Graphs on which the criterion decides rightly."""
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, (0.05, 0.15, 0.25)[k % 3], (k % 2) * 0.3) for k in range(60)]
    agreeing = sum(flow_exists(graph) == equals_closed_form(graph) for graph in graphs)
    return Finding(float(agreeing), float(len(graphs)))
