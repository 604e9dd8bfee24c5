"""What a corpus must satisfy; each function returns its argument in standard form or says what is wrong."""

import numpy as np
from scipy import sparse

_SHOWN = 5  # values quoted in a message


def canonical_counts(counts):
    """Return a csr float64 copy of whole counts >= 0: sorted, duplicates summed, no stored zeros."""
    counts = sparse.csr_array(counts, dtype=np.float64, copy=True)
    if counts.ndim != 2:
        raise ValueError(f"counts must have 2 dimensions (sequences, tokens), got {counts.ndim}")
    if counts.shape[0] == 0:
        raise ValueError("the corpus is empty: counts has 0 rows")
    counts.sum_duplicates()  # first: what is stored in parts is judged as a whole, in any sparse format
    data = counts.data
    bad = np.flatnonzero(~(np.isfinite(data) & (data >= 0) & (data == np.floor(data))))
    if bad.size:
        row = np.searchsorted(counts.indptr, bad[0], side="right") - 1
        column, value = counts.indices[bad[0]], data[bad[0]]
        raise ValueError(f"counts must be whole numbers >= 0, got {value:g} in row {row}, column {column}")
    counts.eliminate_zeros()
    if max(counts.nnz, *counts.shape) <= np.iinfo(np.int32).max:  # half the memory traffic of int64
        counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts


def binary_labels(labels):
    """Return labels as an int64 array with values in {-1, +1}."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must have 1 dimension, got shape {array.shape}")
    values = array.tolist()
    if array.dtype.kind == "b" or (set(map(repr, values)) <= {"0", "1", "0.0", "1.0"} and 0 in values):
        raise ValueError("labels must be -1 or +1, got values in {0, 1}: pass 2 * labels - 1")
    bad = list(dict.fromkeys(repr(value) for value in values if value not in (-1, 1)))
    if bad:
        more = ", ..." if len(bad) > _SHOWN else ""
        raise ValueError(f"labels must be -1 or +1, got {', '.join(bad[:_SHOWN])}{more}")
    return array.astype(np.int64)


def both_classes(labels):
    """Raise if all labels are equal."""
    if labels.min() == labels.max():
        raise ValueError(f"the corpus has one class only: all {len(labels)} labels are {labels[0]:+d}")


def token_names(vocabulary):
    """Return the vocabulary as a tuple of distinct str."""
    if isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a sequence of tokens, got the string {vocabulary!r}")
    vocabulary = tuple(vocabulary)
    first = {}
    for index, token in enumerate(vocabulary):
        if not isinstance(token, str):
            raise TypeError(f"token {index} of the vocabulary must be a string, got {token!r}")
        if first.setdefault(token, index) != index:
            raise ValueError(f"vocabulary holds {token!r} twice, at {first[token]} and {index}")
    return tuple(map(str, vocabulary))  # numpy's str_ becomes str


def matching_shapes(counts, labels, vocabulary):
    """Raise unless counts is (len(labels), len(vocabulary))."""
    if counts.shape[0] != len(labels):
        raise ValueError(f"counts has {counts.shape[0]} rows but there are {len(labels)} labels")
    if counts.shape[1] != len(vocabulary):
        raise ValueError(
            f"counts has {counts.shape[1]} columns but the vocabulary has {len(vocabulary)} tokens"
        )


def no_empty_sequence(counts):
    """Raise if a row of canonical counts has no token."""
    empty = np.flatnonzero(np.diff(counts.indptr) == 0)
    if empty.size:
        raise ValueError(f"sequence {empty[0]} is empty ({empty.size} of {counts.shape[0]} have no token)")


def texts(values, labels):
    """Return the texts as a list of str, one for each label."""
    if isinstance(values, str):
        raise TypeError(f"texts must be a sequence of strings, got one string of {len(values)} characters")
    values = list(values)
    if len(values) != len(labels):
        raise ValueError(f"there are {len(values)} texts but {len(labels)} labels")
    if not values:
        raise ValueError("the corpus is empty: there are 0 texts")
    for row, text in enumerate(values):
        if not isinstance(text, str):
            raise TypeError(f"text {row} must be a string, got {type(text).__name__} ({text!r})")
    return values


def at_least_one(name, value):
    """Raise unless value is an integer >= 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")


def row_indices(rows, n):
    """Return an index array or boolean mask as int64 indices into n rows, -n..n-1."""
    rows = np.asarray(rows)
    if rows.ndim != 1:
        raise ValueError(f"rows must have 1 dimension, got shape {rows.shape}")
    if rows.dtype == bool:
        if len(rows) != n:
            raise ValueError(f"the mask has {len(rows)} entries but the corpus has {n} sequences")
        rows = np.flatnonzero(rows)
    if rows.size == 0:
        raise ValueError("the subset is empty: no row is selected")
    if rows.dtype.kind not in "iu":
        raise TypeError(f"rows must be integers or a boolean mask, got {rows.dtype}")
    bad = rows[(rows < -n) | (rows >= n)]
    if bad.size:
        raise ValueError(f"row {bad[0]} is out of range for {n} sequences")
    return rows.astype(np.int64)
