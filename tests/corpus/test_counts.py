"""TokenCounts: standard form, what it refuses, and subsets."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from attnsel_lib.corpus import TokenCounts

from .strategies import corpora

COUNTS = [[1, 2, 0], [0, 1, 1]]
NAMES = ["good", "film", "bad"]


@pytest.fixture
def corpus():
    return TokenCounts([[1, 2, 0], [0, 1, 1], [0, 0, 3], [2, 0, 0]], [1, -1, -1, 1], NAMES)


def test_counts_are_brought_to_standard_form():
    rows, columns = [0, 0, 0, 1, 1], [2, 0, 2, 1, 0]
    given_counts = sparse.coo_array(([1, 2, 3, 1, 0], (rows, columns)), shape=(2, 3))
    counts = TokenCounts(given_counts, [1, -1], NAMES).counts
    assert counts.dtype == np.float64
    assert counts.has_canonical_format
    np.testing.assert_array_equal(counts.indices, [0, 2, 1])
    np.testing.assert_array_equal(counts.data, [2, 4, 1])


def test_the_corpus_does_not_change_with_the_matrix_it_was_given():
    matrix = sparse.csr_array(np.array(COUNTS, float))
    corpus = TokenCounts(matrix, [1, -1], NAMES)
    matrix.data[:] = 7
    np.testing.assert_array_equal(corpus.counts.toarray(), COUNTS)


def test_sizes_and_names(corpus):
    assert (corpus.n_sequences, corpus.n_tokens) == (4, 3)
    assert corpus.vocabulary == ("good", "film", "bad")
    np.testing.assert_array_equal(corpus.lengths, [3, 2, 3, 2])
    np.testing.assert_array_equal(corpus.token_counts, [3, 3, 4])
    assert repr(corpus) == "TokenCounts(sequences=4, tokens=3, pairs=6, positive=2)"


def test_fields_cannot_be_replaced(corpus):
    with pytest.raises(AttributeError, match="labels"):
        corpus.labels = -corpus.labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"got values in \{0, 1\}: pass 2 \* labels - 1"),
        ([0.0, 1.0], r"pass 2 \* labels - 1"),
        ([False, True], r"pass 2 \* labels - 1"),
        ([1, 3], "labels must be -1 or .1, got 3$"),
        ([0, -1], "labels must be -1 or .1, got 0$"),
        ([1.0, np.nan], "got nan"),
        (["neg", "pos"], "got 'neg', 'pos'"),
        ([1, 1], r"one class only: all 2 labels are \+1"),
        ([-1, -1], "one class only: all 2 labels are -1"),
        ([1, -1, 1], "counts has 2 rows but there are 3 labels"),
        ([[1, -1]], r"1 dimension, got shape \(1, 2\)"),
    ],
)
def test_wrong_labels(labels, message):
    with pytest.raises(ValueError, match=message):
        TokenCounts(COUNTS, labels, NAMES)


def test_the_advice_for_zero_and_one_works():
    labels = np.array([False, True])
    np.testing.assert_array_equal(TokenCounts(COUNTS, 2 * labels - 1, NAMES).labels, [-1, 1])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2, 0], [0, -1, 1]], "got -1 in row 1, column 1"),
        ([[1, 2, 0], [0, 0.5, 1]], "got 0.5 in row 1, column 1"),
        ([[1, np.nan, 0], [0, 1, 1]], "got nan in row 0, column 1"),
        ([[1, np.inf, 0], [0, 1, 1]], "got inf in row 0, column 1"),
        ([[1, 2, 0], [0, 0, 0]], r"sequence 1 is empty \(1 of 2 have no token\)"),
        ([[1, 2], [0, 1]], "counts has 2 columns but the vocabulary has 3 tokens"),
        (np.zeros((0, 3)), "the corpus is empty: counts has 0 rows"),
        ([1, 2, 0], "2 dimensions"),
    ],
)
def test_wrong_counts(counts, message):
    with pytest.raises(ValueError, match=message):
        TokenCounts(counts, [1, -1], NAMES)


@pytest.mark.parametrize("form", [sparse.coo_array, sparse.csr_array])
def test_a_count_stored_in_parts_is_judged_as_a_whole(form):
    parts = sparse.csr_array(([3.0, -1.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 3))
    np.testing.assert_array_equal(TokenCounts(form(parts), [1, -1], NAMES).counts.data, [2, 1])
    parts.data[1] = -4
    with pytest.raises(ValueError, match="got -1 in row 0, column 0"):
        TokenCounts(form(parts), [1, -1], NAMES)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["good", "film", "good"], ValueError, "'good' twice, at 0 and 2"),
        (["good", "film", 3], TypeError, "token 2 of the vocabulary must be a string, got 3"),
        ("abc", TypeError, "got the string 'abc'"),
    ],
)
def test_wrong_vocabulary(names, error, message):
    with pytest.raises(error, match=message):
        TokenCounts(COUNTS, [1, -1], names)


def test_rows_must_fit():
    with pytest.raises(ValueError, match=r"rows has shape \(1,\), labels has shape \(2,\)"):
        TokenCounts(COUNTS, [1, -1], NAMES, rows=[5])


@given(corpora())
def test_a_permutation_changes_nothing_but_the_order(corpus):
    turned = corpus.subset(np.arange(corpus.n_sequences)[::-1])
    np.testing.assert_array_equal(turned.counts.toarray(), corpus.counts.toarray()[::-1])
    np.testing.assert_array_equal(turned.labels, corpus.labels[::-1])
    assert turned.counts.has_canonical_format
    np.testing.assert_allclose(turned.signed_frequency(), corpus.signed_frequency(), atol=1e-15)


def test_a_subset_traces_its_rows_and_may_have_one_class(corpus):
    positive = corpus.subset(corpus.labels == 1)
    np.testing.assert_array_equal(positive.rows, [0, 3])
    np.testing.assert_array_equal(positive.labels, [1, 1])
    assert positive.vocabulary == corpus.vocabulary
    np.testing.assert_array_equal(positive.subset([1, -2, 1]).rows, [3, 0, 3])
    np.testing.assert_array_equal(positive.posterior_difference(), [1, 1, 0])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([0, 4], ValueError, "row 4 is out of range for 4 sequences"),
        ([-5], ValueError, "row -5 is out of range for 4 sequences"),
        ([], ValueError, "the subset is empty"),
        ([False] * 4, ValueError, "the subset is empty"),
        ([True, False], ValueError, "the mask has 2 entries but the corpus has 4 sequences"),
        ([0.5], TypeError, "rows must be integers or a boolean mask, got float64"),
        ([[0, 1]], ValueError, r"1 dimension, got shape \(1, 2\)"),
    ],
)
def test_wrong_subset(corpus, rows, error, message):
    with pytest.raises(error, match=message):
        corpus.subset(rows)
