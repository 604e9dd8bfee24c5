"""The two sparse products of the count matrix that every gradient at corpus scale is made of."""

from functools import cached_property

import numpy as np


class CountProducts:
    """C X and C^T Y for the count matrix C of one corpus, and narrow dense X, Y.

    The one seam behind which another sparse library can serve; made once per corpus (`of`), since
    both products want their matrix stored row by row: C, and a csr copy of its transpose.

    counts : (n, |S|) scipy csr
    """

    def __init__(self, counts):
        self.counts = counts

    @classmethod
    def of(cls, corpus):
        """The products of a corpus, made at the first call and kept with it."""
        if "_products" not in corpus.__dict__:
            object.__setattr__(corpus, "_products", cls(corpus.counts))
        return corpus._products

    @cached_property
    def transposed(self):
        """C^T, (|S|, n) scipy csr."""
        return self.counts.T.tocsr()

    def forward(self, X):
        """C X, (n, k), for X of shape (|S|, k)."""
        return self.counts @ np.ascontiguousarray(X)

    def backward(self, Y):
        """C^T Y, (|S|, k), for Y of shape (n, k)."""
        return self.transposed @ np.ascontiguousarray(Y)
