"""Attention drawn on words: shares, the window, and text that tries to be HTML."""

import numpy as np
import pytest

from attnsel_lib.figures import attention_on_words

VOCABULARY = ("good", "film", "script")


def test_shares_follow_the_softmax_over_occurrences():
    drawn = attention_on_words("good film, FILM", VOCABULARY, np.log([2.0, 1.0, 1.0]), [1.0, -1.0, 0.0]).data
    assert drawn.count("50.0% of the attention") == 1
    assert drawn.count("25.0% of the attention") == 2
    assert "200, 80, 26, 1.00" in drawn
    assert "43, 131, 198, 0.50" in drawn


def test_text_is_never_html_nor_mathematics():
    drawn = attention_on_words(
        "<script>alert(1)</script> $x$ 'good'", VOCABULARY, np.zeros(3), np.zeros(3)
    ).data
    assert "<script" not in drawn
    assert "mathjax_ignore" in drawn
    assert "<s>alert</s>" in drawn


def test_a_long_text_is_cut_to_its_densest_window():
    text = "film " * 50 + "good " + "film " * 50
    drawn = attention_on_words(text, VOCABULARY, [10.0, 0.0, 0.0], np.zeros(3), max_words=5).data
    assert drawn.count("<span") == 5
    assert ">good</span>" in drawn
    assert "… " in drawn


def test_a_text_the_model_cannot_read_is_an_error():
    with pytest.raises(ValueError, match="none of the 2 words of the text is in the vocabulary"):
        attention_on_words("unknown words", VOCABULARY, np.zeros(3), np.zeros(3))
