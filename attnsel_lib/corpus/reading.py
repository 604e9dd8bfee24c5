"""Read the text and label columns of a table, through Hugging Face datasets."""

import contextlib
import glob
import reprlib
import tempfile
import warnings

import numpy as np

# In pieces of 1,000 rows: a parquet file may hold all its rows in one group, or none at all.
READERS = {".csv": {"path": "csv"}, ".parquet": {"path": "parquet", "batch_size": 1000}}


def read_labelled(path, keep=None, text_column="text", label_column="label"):
    """Texts and labels of a csv or parquet file.

    Parameters
    ----------
    path : pathlib.Path
    keep : (column, value), optional; only the rows with this value
    text_column, label_column : str

    Returns
    -------
    texts : tuple of n str
    labels : (n,) int in {-1, +1}; 0/1 in the file becomes -1/+1

    Raises
    ------
    ValueError
        If the file cannot be read as a table, lacks a column, has no rows, a missing text, or labels
        other than two of -1, 0 and 1; the message names the file and the value.
    """
    table = _table(path)
    for column in (text_column, label_column):
        if column not in table.column_names:
            raise ValueError(f"{path.name} has no column {column!r}: it has {', '.join(table.column_names)}")
    if keep is not None:
        column, value = keep
        table = table.select([row for row, found in enumerate(table[column][:]) if found == value])
    if len(table) == 0:
        raise ValueError(f"{path.name} has no rows")
    texts = _checked_texts(tuple(table[text_column][:]), path.name)
    return texts, _signed(table[label_column][:], path.name)


def _datasets():
    """Import datasets without tqdm's remark that notebooks could have nicer progress bars; there are none."""
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)
        import datasets
    return datasets


def _table(path):
    datasets = _datasets()
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty (0 bytes)")
    # A cache of its own, read into memory: the texts are those of the file that was hashed just before,
    # never of an earlier conversion, and nothing is left in the reader's home folder.
    with _quiet(datasets), tempfile.TemporaryDirectory() as cache:
        source = {**READERS[path.suffix], "data_files": glob.escape(str(path)), "cache_dir": cache}
        try:
            return datasets.load_dataset(**source, split="train", keep_in_memory=True)
        except (datasets.exceptions.DatasetGenerationError, ValueError) as error:
            reason = str(error.__cause__ or error).splitlines()[0]
            raise ValueError(f"{path.name} cannot be read as {path.suffix[1:]}: {reason}") from error


@contextlib.contextmanager
def _quiet(datasets):
    """Progress bars and log lines off, as pages and pipes need it, and back as they were."""
    bars, level = datasets.are_progress_bars_disabled(), datasets.logging.get_verbosity()
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    try:
        yield
    finally:
        datasets.logging.set_verbosity(level)
        if not bars:
            datasets.enable_progress_bars()


def _checked_texts(texts, file):
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{file}: the text of row {row} is {text!r}, not a string")
    return texts


def _signed(values, file):
    plain = {*map(type, values)} <= {bool, int, float}
    found = set(values) if plain else {*map(reprlib.repr, values)}  # shortened: it may be a column of texts
    if found not in ({0, 1}, {-1, 1}):
        shown = ", ".join(sorted({*map(str, found)})[:5])
        raise ValueError(f"{file}: labels must be 0 and 1, or -1 and +1, got {shown}")
    return np.where(np.array(values) == 1, 1, -1)
