"""The numbers that a Matplotlib figure shows, as plain data."""

import numpy as np

DIGITS = 9  # significant digits kept: far more than a figure shows, few enough to keep the files small


def plotted_arrays(figure):
    """Everything drawn in data coordinates: lines, points, bands, bars and images of each axes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure

    Returns
    -------
    list of dict, one per axes with something in it
        {"title", "xlabel", "ylabel", "series": [{"kind", "label", "values"}]}; values are nested lists of
        numbers rounded to 9 significant digits, with None for what is not finite.
    """
    axes = [_axes(ax) for ax in figure.axes]
    return [record for record in axes if record["series"]]


def _axes(ax):
    drawn = [
        *(("line", line, line.get_xydata()) for line in ax.get_lines()),
        *(("collection", item, _collection(item)) for item in ax.collections),
        *(("bar", bar, np.array([bar.get_bbox().bounds])) for bar in ax.patches),
        *(("image", image, image.get_array()) for image in ax.get_images()),
    ]
    return {
        "title": ax.get_title(),
        "xlabel": ax.get_xlabel(),
        "ylabel": ax.get_ylabel(),
        "series": [
            {"kind": kind, "label": str(artist.get_label()), "values": _plain(values)}
            for kind, artist, values in drawn
        ],
    }


def _collection(item):
    """Points of a scatter plot, otherwise the vertices of all its paths."""
    offsets = np.ma.getdata(item.get_offsets())
    if offsets.any():
        return offsets
    paths = [path.vertices for path in item.get_paths()]
    return np.concatenate(paths) if paths else np.zeros((0, 2))


def _plain(values):
    """Nested lists of rounded numbers, None for what is masked or not finite."""
    array = np.ma.filled(np.ma.asarray(values, float), np.nan)
    if array.ndim > 1:
        return [_plain(row) for row in array]
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in array.tolist()]
