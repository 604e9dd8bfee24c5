"""The sparse products equal the dense ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnsel_lib.corpus.products import CountProducts

from .strategies import corpora


@given(corpora(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_products_equal_the_dense_ones(corpus, k, seed):
    rng = np.random.default_rng(seed)
    dense, products = corpus.counts.toarray(), CountProducts.of(corpus)
    X, Y = rng.standard_normal((corpus.n_tokens, k)), rng.standard_normal((corpus.n_sequences, k))
    np.testing.assert_allclose(products.forward(X), dense @ X, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(products.backward(Y), dense.T @ Y, rtol=1e-13, atol=1e-13)


@given(corpora())
def test_the_two_products_are_adjoint_whatever_the_memory_order(corpus):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((corpus.n_tokens, 2)))
    Y = np.asfortranarray(rng.standard_normal((corpus.n_sequences, 2)))
    products = CountProducts.of(corpus)
    np.testing.assert_allclose(np.vdot(Y, products.forward(X)), np.vdot(products.backward(Y), X), atol=1e-12)


@given(corpora())
def test_products_are_made_once_for_each_corpus(corpus):
    assert CountProducts.of(corpus) is CountProducts.of(corpus)
    part = corpus.subset([0])
    assert CountProducts.of(part).forward(np.ones((corpus.n_tokens, 1))).shape == (1, 1)
