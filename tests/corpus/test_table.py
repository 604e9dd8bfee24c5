"""The table of tokens shows the corpus's numbers."""

import numpy as np
import pytest

from attnsel_lib.corpus import TokenCounts
from attnsel_lib.corpus.table import token_table


@pytest.fixture
def corpus():
    return TokenCounts.from_sequences([[0, 0, 0, 1], [1, 1]], [1, -1], 2, vocabulary=["good", "film"])


def test_rows_are_the_tokens_asked_for(corpus):
    table = token_table(corpus, [1, 0], score=np.array([0.5, -2.0]))
    assert table.index.tolist() == ["film", "good"]
    # good: alpha = phi = 3/8; film: alpha = (1/4 - 1) / 2, phi = (1/4 + 1) / 2
    assert table["count"].tolist() == ["3", "3"]
    assert table["α · 10⁴"].tolist() == ["-3750.00", "+3750.00"]
    assert table["φ · 10⁴"].tolist() == ["6250.00", "3750.00"]
    assert table["λ"].tolist() == ["-0.600", "+1.000"]
    assert table["score"].tolist() == ["-2.00", "+0.50"]


def test_wrong_tokens_and_columns(corpus):
    with pytest.raises(ValueError, match=r"tokens must be in 0\.\.1, got 0\.\.2"):
        token_table(corpus, [0, 2])
    with pytest.raises(ValueError, match=r"column 'score' must have shape \(2,\), got \(3,\)"):
        token_table(corpus, [0], score=np.zeros(3))
