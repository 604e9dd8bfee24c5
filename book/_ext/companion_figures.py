"""The arrays of the figures beside the pages, and the commit in the lines that say where they come from.

``attnsel_lib.figures.publish`` writes the arrays while a chapter is executed. A chapter taken from the
execution cache does not run, so they are kept in the cache's own folder and copied from there.
"""

import json
import os
import re
from pathlib import Path

from companion_strict import commit
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
REFERENCE = re.compile(r'href="_figures/([\w-]+)\.json"')
PLACE_OF_COMMIT = '<span class="commit"></span>'
SHOWN_DIGITS = 10


def kept_figures(app):
    """Folder of the arrays that belong to the current execution cache."""
    return Path(app.config.nb_execution_cache_path) / "figures"


def tell_kernels(app, config):
    """Kernels inherit the environment of the build.

    One BLAS thread: threads slow small matrices down several times, and sums then come out the same on any
    number of processors.
    """
    os.environ["ATTNSEL_FIGURES"] = str(kept_figures(app))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def show_commit(app, pagename, templatename, context, doctree):
    """Write the commit into the provenance lines; notebooks leave its place empty."""
    if PLACE_OF_COMMIT in context.get("body", "") and (head := commit(app.srcdir)):
        shown = head[:SHOWN_DIGITS] + ("+" if head.endswith("+") else "")
        context["body"] = context["body"].replace(PLACE_OF_COMMIT, f" at {shown}")


def copy_figures(app, exc):
    """Copy the arrays that the pages refer to; a missing file is a warning, so the build fails."""
    if exc is not None or app.builder.format != "html":
        return
    pages = (path.read_text("utf8") for path in Path(app.outdir).glob("*.html"))
    for id in sorted({id for page in pages for id in REFERENCE.findall(page)}):
        source = kept_figures(app) / f"{id}.json"
        if not source.exists():
            LOGGER.warning("the arrays of figure %s are missing: remove %s", id, source.parents[1])
            continue
        target = Path(app.outdir) / "_figures" / source.name
        target.parent.mkdir(exist_ok=True)
        record = json.loads(source.read_text("utf8")) | {"commit": commit(app.srcdir)}
        target.write_text(json.dumps(record), "utf8")


def setup(app):
    """Connect after the cache has its name, and before the strict part counts the warnings."""
    app.connect("config-inited", tell_kernels, priority=910)
    app.connect("html-page-context", show_commit)
    app.connect("build-finished", copy_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
