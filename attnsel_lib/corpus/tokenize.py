"""From a text to its words."""

import re
import sys
import unicodedata
from functools import cache

_LINE_BREAK = re.compile(r"</?br\b[^<>]*>", re.IGNORECASE)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
# right quotation mark, modifier letter apostrophe, full-width apostrophe
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u02bc\uff07", "'"))


def words(text):
    """Split a text into lower-cased words of letters, digits and inner apostrophes.

    HTML line breaks separate words; so does every other character, the underscore included.
    Accents are kept, in composed form (NFC); the typographic apostrophe counts as ``'``.
    Apostrophes at the edge of a word are quotation marks and are dropped.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
        The words in their order, with repetitions; empty for a text without any.

    Raises
    ------
    TypeError
        If `text` is not a string.

    Notes
    -----
    Scripts written without spaces (Chinese, Japanese, Thai) are not segmented: a run of such
    characters is one word. Tags other than line breaks are not removed.

    Examples
    --------
    >>> words("It wasn't GOOD.<br /><br />Not at 'all'!")
    ['it', "wasn't", 'good', 'not', 'at', 'all']
    >>> words("Amélie’s café_noir, 10/10")
    ["amélie's", 'café', 'noir', '10', '10']
    >>> words("这部电影很好 ❤️")
    ['这部电影很好']
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__} ({text!r})")
    text = _LINE_BREAK.sub(" ", text).lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _unicode_word().findall(unicodedata.normalize("NFC", text).translate(_APOSTROPHES))


@cache
def _unicode_word():
    r"""Compile the word pattern for any script.

    ``\w`` lacks combining marks, so it would cut Hindi at each vowel sign and pointed Hebrew at
    each point; they may continue a word but not start one (emoji carry them too).
    """
    marks = "".join(chr(c) for c in range(sys.maxunicode) if unicodedata.category(chr(c))[0] == "M")
    part = rf"[^\W_]+(?:[{re.escape(marks)}]+[^\W_]*)*"
    return re.compile(rf"{part}(?:'{part})*")
