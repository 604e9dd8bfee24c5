"""Counting texts and sequences of token indices."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsel_lib.corpus import TokenCounts, words

from .strategies import sequences_and_labels

TEXTS = ["A good, good film.", "A bad film<br />", "Good cast", "bad, bad: a bore"]
LABELS = [1, -1, 1, -1]


@given(sequences_and_labels())
def test_sequences_are_counted(parts):
    sequences, labels, size = parts
    corpus = TokenCounts.from_sequences(sequences, labels, size)
    expected = [np.bincount(sequence, minlength=size) for sequence in sequences]
    np.testing.assert_array_equal(corpus.counts.toarray(), expected)
    assert corpus.vocabulary == tuple(str(s) for s in range(size))


def test_sequences_as_one_array_and_named_tokens():
    corpus = TokenCounts.from_sequences(np.array([[0, 1], [1, 1]]), [1, -1], 2, vocabulary=["x", "y"])
    np.testing.assert_array_equal(corpus.counts.toarray(), [[1, 1], [0, 2]])
    assert corpus.vocabulary == ("x", "y")


@pytest.mark.parametrize(
    ("sequences", "size", "error", "message"),
    [
        ([[0], [1, 5]], 3, ValueError, r"token index 5 in sequence 1 is out of range 0\.\.2"),
        ([[0], [5, 1]], 3, ValueError, r"token index 5 in sequence 1 is out of range 0\.\.2"),
        ([[0, -1], [1]], 3, ValueError, r"token index -1 in sequence 0 is out of range 0\.\.2"),
        ([[0], []], 3, ValueError, "sequence 1 is empty"),
        ([[0], [[1, 2]]], 3, ValueError, r"sequence 1 must have 1 dimension, got shape \(1, 2\)"),
        ([[0], [1.5]], 3, TypeError, "sequence 1 must hold integers, got 1.5"),
        ([[0], [True]], 3, TypeError, "sequence 1 must hold integers, got True"),
        ([], 3, ValueError, "the corpus is empty: there are 0 sequences"),
        ([[0], [1]], 0, ValueError, "vocabulary_size must be at least 1, got 0"),
        ([[0], [1]], 2.0, TypeError, "vocabulary_size must be an integer, got 2.0"),
    ],
)
def test_wrong_sequences(sequences, size, error, message):
    with pytest.raises(error, match=message):
        TokenCounts.from_sequences(sequences, [1, -1], size)


def test_sequences_of_one_class():
    with pytest.raises(ValueError, match="one class only"):
        TokenCounts.from_sequences([[0], [1]], [1, 1], 2)


def test_vocabulary_by_decreasing_count_then_alphabet():
    corpus = TokenCounts.from_texts(TEXTS, LABELS, min_count=1)
    assert corpus.vocabulary == ("a", "bad", "good", "film", "bore", "cast")
    np.testing.assert_array_equal(corpus.token_counts, [3, 3, 3, 2, 1, 1])
    np.testing.assert_array_equal(corpus.counts.toarray()[0], [1, 0, 2, 1, 0, 0])


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=2, max_size=7), st.integers(1, 4))
def test_min_count_is_a_count_over_the_whole_corpus(sequences, min_count):
    texts = [" ".join([*sequence, "z"]) for sequence in sequences] + ["z z z"]
    labels = [1, -1] + [1] * (len(texts) - 2)
    corpus = TokenCounts.from_texts(texts, labels, min_count=min_count)
    totals = Counter(word for text in texts for word in words(text))
    kept = dict(zip(corpus.vocabulary, corpus.token_counts, strict=True))
    assert kept == {token: count for token, count in totals.items() if count >= min_count}


def test_only_the_first_words_are_read():
    corpus = TokenCounts.from_texts(TEXTS, LABELS, min_count=1, max_tokens=2)
    assert corpus.lengths.tolist() == [2, 2, 2, 2]
    assert set(corpus.vocabulary) == {"a", "bad", "good", "cast"}


def test_max_tokens_counts_words_outside_the_vocabulary():
    corpus = TokenCounts.from_texts(["x x good", "bad bad"], [1, -1], max_tokens=2, vocabulary=["x", "bad"])
    np.testing.assert_array_equal(corpus.counts.toarray(), [[2, 0], [0, 2]])


def test_a_given_vocabulary_keeps_its_order_and_drops_other_words():
    corpus = TokenCounts.from_texts(TEXTS[:2], LABELS[:2], min_count=99, vocabulary=["film", "unseen", "bad"])
    assert corpus.vocabulary == ("film", "unseen", "bad")
    np.testing.assert_array_equal(corpus.counts.toarray(), [[1, 0, 0], [1, 0, 1]])


def test_texts_without_tokens_are_refused_or_dropped():
    with pytest.raises(ValueError, match=r"text 2 has no token of the vocabulary \(1 of 4 texts have none\)"):
        TokenCounts.from_texts(TEXTS, LABELS, vocabulary=["film", "bad"])
    corpus = TokenCounts.from_texts(TEXTS, LABELS, vocabulary=["film", "bad"], empty="drop")
    np.testing.assert_array_equal(corpus.rows, [0, 1, 3])
    np.testing.assert_array_equal(corpus.labels, [1, -1, -1])


def test_dropping_may_not_leave_one_class_or_nothing():
    with pytest.raises(ValueError, match="one class only: all 2 labels are -1"):
        TokenCounts.from_texts(TEXTS, LABELS, vocabulary=["bad"], empty="drop")
    with pytest.raises(ValueError, match="none of the 4 texts has a token of the vocabulary"):
        TokenCounts.from_texts(TEXTS, LABELS, vocabulary=["unseen"], empty="drop")


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        (["a", float("nan")], {}, TypeError, r"text 1 must be a string, got float \(nan\)"),
        ([None, "a"], {}, TypeError, r"text 0 must be a string, got NoneType \(None\)"),
        (["a", b"b"], {}, TypeError, r"text 1 must be a string, got bytes \(b'b'\)"),
        ("ab", {}, TypeError, "got one string of 2 characters"),
        (["a"], {}, ValueError, "there are 1 texts but 2 labels"),
        (["a", "b"], {"min_count": 0}, ValueError, "min_count must be at least 1, got 0"),
        (["a", "b"], {"min_count": 1.5}, TypeError, "min_count must be an integer, got 1.5"),
        (["a", "b"], {"max_tokens": 0}, ValueError, "max_tokens must be at least 1, got 0"),
        (["a b", "b"], {"min_count": 3}, ValueError, "no token reaches min_count=3: 'b', .* occurs 2 times"),
        (["...", "!"], {}, ValueError, "none of the 2 texts has a word"),
        (["a", "b"], {"vocabulary": []}, ValueError, "vocabulary is empty"),
        (["a", "b"], {"vocabulary": ["a", "a"]}, ValueError, "'a' twice"),
        (["a", "b"], {"empty": "keep"}, ValueError, 'empty must be "raise" or "drop", got \'keep\''),
    ],
)
def test_wrong_texts(texts, options, error, message):
    with pytest.raises(error, match=message):
        TokenCounts.from_texts(texts, [1, -1], **{"min_count": 1, **options})


def test_no_texts_at_all():
    with pytest.raises(ValueError, match="the corpus is empty: there are 0 texts"):
        TokenCounts.from_texts([], [])


def test_texts_of_one_class():
    with pytest.raises(ValueError, match="one class only"):
        TokenCounts.from_texts(["a", "b"], [1, 1], min_count=1)
