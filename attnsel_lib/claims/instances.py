"""Instances that claims are measured on, and the hypotheses as predicates of them."""

from dataclasses import dataclass

import numpy as np

from attnsel_lib import attention
from attnsel_lib.attention import Parameters
from attnsel_lib.attention.synthetic import one_important_token
from attnsel_lib.corpus import TokenCounts


@dataclass(frozen=True)
class Instance:
    """A corpus, its important tokens, and the parameters before and after the embedding step.

    corpus : TokenCounts;  important : (n,) int, the token that decides the label of each sequence
    before, after : Parameters (E_0, p_0, v) and (E_1, p_0, v), |v| = 1
    eta : step size of the embedding step
    """

    corpus: TokenCounts
    important: np.ndarray
    before: Parameters
    after: Parameters
    eta: float

    @property
    def c(self):
        """Largest predicted coefficient of v, (eta/2) max |alpha|."""
        return float(np.abs(attention.predicted_alignment(self.corpus, self.eta)).max())


def common_setting(seed, d=4096, c=0.6, **sizes):
    """The common setting of the book: n = 64, T = 8, K = 4 + 4, M = 24 unless `sizes` say otherwise.

    Parameters
    ----------
    seed : int
    d : int, embedding dimension
    c : float > 0, largest predicted coefficient of v in the embedding step
    **sizes : passed to `one_important_token`

    Returns
    -------
    Instance
    """
    rng = np.random.default_rng(seed)
    data = one_important_token(rng, **sizes)
    before = attention.initial_parameters(data.corpus.n_tokens, d, rng)
    eta = attention.step_for_alignment(data.corpus, c)
    after = attention.embedding_step(data.corpus, before, eta)
    return Instance(data.corpus, data.important, before, after, eta)


def one_important_token_each(instance):
    """(A1): of the tokens of a sequence one is seen with its label only, all others have lambda = 0."""
    lam, counts = instance.corpus.posterior_difference(), instance.corpus.counts
    shown = lam[counts.indices] * np.repeat(instance.corpus.labels, np.diff(counts.indptr))
    own = lam[instance.important] == instance.corpus.labels
    one = np.add.reduceat(shown, counts.indptr[:-1]) == 1
    return bool(own.all() and one.all() and np.isin(shown, (0, 1)).all())


def full_row_rank(instance):
    """(A2): the embeddings after the step are linearly independent."""
    return int(np.linalg.matrix_rank(instance.after.E)) == len(instance.after.E)


def scores_ordered(instance):
    """(A3): the important token has the strictly largest y gamma of its sequence."""
    counts, gamma = instance.corpus.counts, instance.after.gamma
    important = np.repeat(instance.important, np.diff(counts.indptr))
    labels = np.repeat(instance.corpus.labels, np.diff(counts.indptr))
    others = counts.indices != important
    return bool((labels * (gamma[important] - gamma[counts.indices]) > 0)[others].all())


def balanced_labels(instance):
    """As many positive as negative sequences."""
    return int(instance.corpus.labels.sum()) == 0


def of_each(predicate):
    """The predicate for a tuple of instances: it must hold for all of them."""
    return lambda instances: all(predicate(instance) for instance in instances)


ASSUMPTIONS = {
    "exactly one important token per sequence (A1)": one_important_token_each,
    "linearly independent embeddings (A2)": full_row_rank,
    "largest score on the important token (A3)": scores_ordered,
}
