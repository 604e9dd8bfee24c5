"""Tables of tokens with what the theory reads off a corpus."""

import numpy as np


def token_table(corpus, tokens, **columns):
    """Count, alpha, phi and lambda of some tokens, and further columns, as a pandas DataFrame of text.

    Parameters
    ----------
    corpus : TokenCounts
    tokens : (k,) int, token indices, in the order of the rows
    **columns : (|S|,) float each, appended with two decimals under their names

    Returns
    -------
    pandas.DataFrame with k rows, indexed by the token

    Raises
    ------
    ValueError
        If a token is out of range or a column does not fit the vocabulary.
    """
    import pandas as pd

    tokens = np.asarray(tokens)
    if tokens.size and (tokens.min() < 0 or tokens.max() >= corpus.n_tokens):
        raise ValueError(f"tokens must be in 0..{corpus.n_tokens - 1}, got {tokens.min()}..{tokens.max()}")
    for name, values in columns.items():
        if np.shape(values) != (corpus.n_tokens,):
            raise ValueError(f"column {name!r} must have shape ({corpus.n_tokens},), got {np.shape(values)}")
    alpha, phi = 1e4 * corpus.signed_frequency(), 1e4 * corpus.frequency()
    shown = {
        "count": [f"{count:,.0f}" for count in corpus.token_counts[tokens]],
        "α · 10⁴": [f"{value:+.2f}" for value in alpha[tokens]],
        "φ · 10⁴": [f"{value:.2f}" for value in phi[tokens]],
        "λ": [f"{value:+.3f}" for value in corpus.posterior_difference()[tokens]],
        **{
            name: [f"{value:+.2f}" for value in np.asarray(values)[tokens]]
            for name, values in columns.items()
        },
    }
    return pd.DataFrame(shown, index=[corpus.vocabulary[s] for s in tokens])
