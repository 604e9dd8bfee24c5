"""Which words a text has."""

import doctest
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsel_lib.corpus import counts, tokenize, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" ...!? ", []),
        ("Good FILM", ["good", "film"]),
        ("It wasn't; don't!", ["it", "wasn't", "don't"]),
        ("It wasn\u2019t", ["it", "wasn't"]),
        ("'quoted' and dogs' rock'n'roll", ["quoted", "and", "dogs", "rock'n'roll"]),
        ("one''two", ["one", "two"]),
        ("snake_case __x__", ["snake", "case", "x"]),
        ("7/10 in 1968", ["7", "10", "in", "1968"]),
        ("well-made", ["well", "made"]),
        ("end.<br /><br />Start<br>a<BR/>b<br clear='all'>c</br>d", ["end", "start", "a", "b", "c", "d"]),
        ("<i>word</i> <broken", ["i", "word", "i", "broken"]),
        ("a < b > c <br", ["a", "b", "c", "br"]),
        ("Amélie Ärger naïve", ["amélie", "ärger", "naïve"]),
        ("ФИЛЬМ Άλφα", ["фильм", "άλφα"]),
        ("हिन्दी फ़िल्म", ["हिन्दी", unicodedata.normalize("NFC", "फ़िल्म")]),
        ("שָׁלוֹם עולם", [unicodedata.normalize("NFC", "שָׁלוֹם"), "עולם"]),
        ("这部电影很好。好", ["这部电影很好", "好"]),
        ("great 👍🏽 ❤️ film", ["great", "film"]),
        ("\ufeffstart\r\nend\u00a0x", ["start", "end", "x"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_composed_and_decomposed_accents_are_one_word():
    assert words("caf\u00e9") == words("cafe\u0301") == ["caf\u00e9"]


@given(st.text())
def test_words_are_lower_case_without_separators(text):
    for word in words(text):
        assert word == word.lower()
        assert not word.startswith("'")
        assert not word.endswith("'")
        assert not any(c.isspace() or c in '_<>&"' for c in word)


@given(st.text())
def test_splitting_again_gives_the_same_words(text):
    assert words(" ".join(words(text))) == words(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_takes_the_short_way_to_the_same_words(text):
    assert words(text) == words(text + " é")[:-1]


def test_a_text_must_be_a_string():
    with pytest.raises(TypeError, match=r"text must be a string, got float \(nan\)"):
        words(float("nan"))


@pytest.mark.parametrize("module", [tokenize, counts])
def test_examples_in_the_documentation(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0
