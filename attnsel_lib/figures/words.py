"""Attention drawn on the words of a text, as HTML that is safe for any text."""

import html

import numpy as np

from attnsel_lib.corpus import words

INK = {1: "200, 80, 26", -1: "43, 131, 198"}  # the palette's positive and negative, as r, g, b


def attention_on_words(text, vocabulary, logits, gamma, max_words=60):
    """Shade each word by its share of the attention, in the colour of its score's sign.

    A word outside the vocabulary is invisible to the model and is drawn struck through. A long text is
    cut to the window of `max_words` words that holds most attention.

    Parameters
    ----------
    text : str, any text; it is escaped
    vocabulary : sequence of |S| str
    logits, gamma : (|S|,) float, z = E p and E v
    max_words : int >= 1

    Returns
    -------
    IPython.display.HTML

    Raises
    ------
    ValueError
        If no word of the text is in the vocabulary.
    """
    from IPython.display import HTML

    index = {token: s for s, token in enumerate(vocabulary)}
    tokens = words(text)
    found = np.array([index.get(token, -1) for token in tokens])
    known = found >= 0
    if not known.any():
        raise ValueError(f"none of the {len(tokens)} words of the text is in the vocabulary")
    z = np.where(known, np.asarray(logits)[found], -np.inf)
    attention = np.exp(z - z.max())
    attention /= attention.sum()
    start = _densest_window(attention, max_words)
    spans = [
        _span(tokens[k], attention[k], attention.max(), np.asarray(gamma)[found[k]], known[k])
        for k in range(start, min(start + max_words, len(tokens)))
    ]
    before, after = ("… " if start else ""), (" …" if start + max_words < len(tokens) else "")
    return HTML(f'<p class="attention-words mathjax_ignore">{before}{" ".join(spans)}{after}</p>')


def _densest_window(attention, width):
    total = np.concatenate([[0.0], np.cumsum(attention)])
    starts = np.arange(max(1, len(attention) - width + 1))
    return int(np.argmax(total[np.minimum(starts + width, len(attention))] - total[starts]))


def _span(word, share, largest, score, known):
    if not known:
        return f"<s>{html.escape(word)}</s>"
    ink, opacity = INK[1 if score >= 0 else -1], share / largest
    style = f"background: rgba({ink}, {opacity:.2f})"
    return f'<span style="{style}" title="{share:.1%} of the attention">{html.escape(word)}</span>'
