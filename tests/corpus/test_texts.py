"""Labelled texts are cut and shuffled with their labels."""

import numpy as np
import pytest

from attnsel_lib.corpus import LabelledTexts, Origin


@pytest.fixture
def texts():
    origin = Origin("mine", "train", "mine.parquet", 6, 3, "0" * 64, "mine")
    return LabelledTexts(tuple("abcdef"), np.array([-1, -1, -1, 1, 1, 1]), origin)


def test_a_split_is_a_partition_that_keeps_labels_with_texts(texts):
    first, second = texts.split(4, np.random.default_rng(0))
    assert (len(first), len(second)) == (4, 2)
    assert sorted(first.texts + second.texts) == list("abcdef")
    for part in (first, second):
        np.testing.assert_array_equal(part.labels, [1 if t in "def" else -1 for t in part.texts])
        assert part.origin is texts.origin


def test_a_split_follows_its_generator(texts):
    once, again = (texts.split(3, np.random.default_rng(7))[0].texts for _ in range(2))
    assert once == again
    orders = {texts.split(3, np.random.default_rng(seed))[0].texts for seed in range(5)}
    assert len(orders) > 1


@pytest.mark.parametrize("first", [0, 6, -1])
def test_no_part_of_a_split_may_be_empty(texts, first):
    with pytest.raises(ValueError, match=f"first must be between 1 and 5, got {first}"):
        texts.split(first, np.random.default_rng(0))


def test_rows_by_index_or_mask(texts):
    assert texts.take([5, 0]).texts == ("f", "a")
    assert texts.take(texts.labels == 1).texts == ("d", "e", "f")
    with pytest.raises(ValueError, match="row 6 is out of range"):
        texts.take([6])


def test_short_to_print(texts):
    assert repr(texts.take([1])) == "LabelledTexts(1 of 6 texts, mine train)"
    assert str(texts.origin) == "mine (train): 6 texts, 3 positive, from mine.parquet, sha256 00000000"
