"""The definitions on real reviews: the 25,000 of the package, and the true test split where it is at hand."""

from pathlib import Path

import numpy as np
import pytest

from attnsel_lib.corpus import TokenCounts, load_corpus

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def reviews():
    return load_corpus("imdb")


@pytest.fixture(scope="module")
def corpus(reviews):
    return TokenCounts.from_texts(reviews.texts, reviews.labels)


def test_identities_at_the_size_of_imdb(corpus):
    alpha, phi, lam = corpus.signed_frequency(), corpus.frequency(), corpus.posterior_difference()
    np.testing.assert_allclose(alpha, phi * lam, rtol=0, atol=1e-15)
    assert abs(phi.sum() - 1) < 1e-12
    assert abs(alpha.sum() - corpus.labels.mean()) < 1e-12
    assert (np.abs(lam) <= 1).all()


def test_size_of_the_vocabulary(corpus):
    # [a-z0-9']+ gives 30,561 tokens and 3.45 M pairs; quotation marks are not part of our words
    assert abs(corpus.n_tokens / 30_561 - 1) < 0.03
    assert abs(corpus.counts.nnz / 3.45e6 - 1) < 0.01
    assert corpus.token_counts.min() == 5


def test_the_words_that_tell_the_classes_apart(corpus):
    lam = dict(zip(corpus.vocabulary, corpus.posterior_difference(), strict=True))
    alpha = dict(zip(corpus.vocabulary, corpus.signed_frequency(), strict=True))
    assert all(lam[word] < -0.7 for word in ("waste", "pointless", "unfunny"))
    assert all(lam[word] > 0.5 for word in ("wonderfully", "refreshing", "captures"))
    assert min(alpha, key=alpha.get) == "bad"


def test_no_line_break_is_left(corpus):
    assert "br" not in corpus.vocabulary[:2000]


@pytest.mark.skipif(
    not (FOLDER / "imdb_test.parquet").exists(), reason="no imdb_test.parquet beside the checkout"
)
def test_the_true_test_split(corpus, reviews, monkeypatch):
    monkeypatch.setenv("ATTNSEL_DATA", str(FOLDER))
    held_out = load_corpus("imdb", split="test")
    assert (held_out.origin.rows, held_out.origin.positive) == (25_000, 12_500)
    assert held_out.origin.location == "$ATTNSEL_DATA/imdb_test.parquet"
    assert len(set(held_out.texts) & set(reviews.texts)) < 250  # the published splits share a few
    test = TokenCounts.from_texts(held_out.texts, held_out.labels, vocabulary=corpus.vocabulary)
    often = corpus.token_counts >= 1000  # sampling noise alone leaves a correlation of .98 there
    correlation = np.corrcoef(corpus.posterior_difference()[often], test.posterior_difference()[often])[0, 1]
    assert correlation > 0.95
