"""Corpora and settings shared by the tests of the attention room."""

import numpy as np
import pytest
from hypothesis import strategies as st

from attnsel_lib import attention
from attnsel_lib.attention.synthetic import one_important_token
from attnsel_lib.corpus import TokenCounts


@st.composite
def small_problems(draw):
    """A random corpus with repeated tokens and unequal lengths, its sequences, and parameters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size, d, n = draw(st.integers(2, 9)), draw(st.integers(1, 7)), draw(st.integers(2, 9))
    sequences = [rng.integers(size, size=rng.integers(1, 8)) for _ in range(n)]
    labels = np.where(np.arange(n) % 2, 1, -1)
    scale = draw(st.sampled_from([0.3, 1.0, 3.0]))
    params = attention.initial_parameters(size, d, rng, unit_v=draw(st.booleans()))
    params = attention.Parameters(scale * params.E, scale * params.p, params.v)
    return TokenCounts.from_sequences(sequences, labels, size), sequences, params


@pytest.fixture(scope="session")
def common_setting():
    """The common setting of the book after its embedding step: n=64, T=8, K=4+4, M=24, d=4096, c=0.6."""
    rng = np.random.default_rng(0)
    data = one_important_token(rng)
    start = attention.initial_parameters(data.corpus.n_tokens, 4096, rng)
    eta = attention.step_for_alignment(data.corpus, 0.6)
    return data, attention.embedding_step(data.corpus, start, eta)


@pytest.fixture(scope="session")
def long_flow(common_setting):
    """The flow of the common setting to t = e^10000, and the max-margin vector of its selection."""
    data, params = common_setting
    path = attention.gradient_flow(
        data.corpus, params, [5.0, 10.0, 16.0, 20.0, 32.0, 100.0, 1000.0, 3000.0, 10_000.0]
    )
    pairs = attention.selection_pairs(data.corpus, path.selected)
    return path, attention.max_margin(params.E, pairs), pairs


def angle(a, b):
    """Angle between two vectors, accurate when it is small."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return 2 * np.arcsin(min(1.0, np.linalg.norm(a - b) / 2))
