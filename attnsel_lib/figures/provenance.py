"""Where a figure's numbers come from: the line below it, and its arrays in a file."""

import html
import json
import os
import time
from pathlib import Path

import attnsel_lib

from .arrays import plotted_arrays

_PAGE_START = time.perf_counter()  # a kernel serves one page and imports this in its first cell


def publish(figure, id, claims=(), seeds=(0,), data=None):
    """Write a figure's arrays and return the line that says where they come from.

    The arrays go to ``<id>.json`` in the folder ``$ATTNSEL_FIGURES``, which a build of the book sets; without
    it nothing is written. The build adds the commit to both.

    In a chapter this stands in a cell of its own below the one that draws, since everything a cell with a
    caption shows is wrapped in that caption.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    id : str, name of the figure in the book, e.g. "fig-growth"
    claims : ids of the claims the figure shows
    seeds : int seeds of the random numbers behind it
    data : corpus.Origin, optional, of the texts behind it

    Returns
    -------
    IPython.display.HTML
        claims, seeds, data with row count and hash prefix, library version, and the seconds from the
        start of the page to this figure.

    Raises
    ------
    ValueError
        If the figure shows no data.
    """
    from IPython.display import HTML

    axes = plotted_arrays(figure)
    if not axes:
        raise ValueError(f"figure {id!r} shows no data")
    record = {
        "id": id,
        "claims": list(claims),
        "seeds": list(seeds),
        "data": str(data) if data else "synthetic",
        "library": attnsel_lib.__version__,
        "axes": axes,
    }
    if folder := os.environ.get("ATTNSEL_FIGURES"):
        _write(Path(folder) / f"{id}.json", record)
    return HTML(_line(record, time.perf_counter() - _PAGE_START))


def _line(record, seconds):
    links = ", ".join(f'<a href="ledger.html#claim-{c}">{html.escape(c)}</a>' for c in record["claims"])
    seeds = ", ".join(map(str, record["seeds"]))
    parts = [
        f"claims {links}" if links else "",
        f"seed{'s' if len(record['seeds']) > 1 else ''} {seeds}" if seeds else "no random numbers",
        html.escape(record["data"]),
        f'attnsel_lib {record["library"]}<span class="commit"></span>',
        f'<span class="seconds">{seconds:.1f} s</span>',
        f'<a href="_figures/{html.escape(record["id"])}.json">arrays</a>',
    ]
    return f'<p class="provenance">{" · ".join(part for part in parts if part)}</p>'


def _write(path, record):
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(record), "utf8")
    os.replace(unfinished, path)
