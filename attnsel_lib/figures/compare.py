"""What moved between the figures of two builds."""

import json
from pathlib import Path

import numpy as np


def moved(old, new, rtol=1e-6):
    """Differences between the figure arrays of two builds, as sentences.

    A number moved when it differs by more than rtol times the largest size in its series.

    Parameters
    ----------
    old, new : paths of two folders of ``<id>.json`` files, or of two built sites
    rtol : float >= 0

    Returns
    -------
    list of str, empty when the two agree

    Raises
    ------
    FileNotFoundError
        If a folder holds no figure arrays.
    """
    before, after = _figures(old), _figures(new)
    sentences = [f"{id}: only in {old}" for id in sorted(before.keys() - after.keys())]
    sentences += [f"{id}: only in {new}" for id in sorted(after.keys() - before.keys())]
    for id in sorted(before.keys() & after.keys()):
        sentences += [f"{id}: {text}" for text in _differences(before[id], after[id], rtol)]
    return sentences


def _figures(folder):
    folder = Path(folder)
    inner = folder / "_figures"
    paths = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"no figure arrays in {folder}: it is neither a built site nor its _figures")
    return {path.stem: json.loads(path.read_text("utf8"))["axes"] for path in paths}


def _differences(before, after, rtol):
    old, new = _series(before), _series(after)
    for key in sorted(old.keys() | new.keys()):
        if key not in old or key not in new:
            yield f"{key} {'disappeared' if key in old else 'is new'}"
        elif old[key].shape != new[key].shape:
            yield f"{key} changed shape from {old[key].shape} to {new[key].shape}"
        elif (size := _movement(old[key], new[key])) > rtol:
            yield f"{key} moved by {size:.1e} of its largest value"


def _series(axes):
    return {
        f"axes {a}, {series['kind']} {s} ({series['label']})": np.array(series["values"], float)
        for a, ax in enumerate(axes)
        for s, series in enumerate(ax["series"])
    }


def _movement(old, new):
    """Largest difference relative to the largest finite size; infinite where finiteness changed."""
    if not np.array_equal(np.isfinite(old), np.isfinite(new)):
        return np.inf
    finite = np.isfinite(old)
    if not finite.any():
        return 0.0
    scale = np.abs(old[finite]).max() or 1.0
    return float(np.abs(new[finite] - old[finite]).max() / scale)
