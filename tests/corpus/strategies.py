"""Random corpora with repeated tokens and unequal lengths, for the property tests."""

import numpy as np
from hypothesis import strategies as st

from attnsel_lib.corpus import TokenCounts


@st.composite
def sequences_and_labels(draw, max_tokens=6):
    """Sequences of token indices, labels with both classes, and |S|."""
    size = draw(st.integers(1, max_tokens))
    sequence = st.lists(st.integers(0, size - 1), min_size=1, max_size=9)
    sequences = draw(st.lists(sequence, min_size=2, max_size=8))
    signs = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sequences), max_size=len(sequences)))
    signs[:2] = [1, -1]
    order = draw(st.permutations(range(len(sequences))))
    return sequences, np.array(signs)[list(order)], size


def corpora():
    """Every corpus that `sequences_and_labels` describes."""
    return sequences_and_labels().map(lambda parts: TokenCounts.from_sequences(*parts))
