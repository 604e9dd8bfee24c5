"""Directives of the status page: what built this book, on which machine, from which data, in what time.

``{companion-status} versions | machine | data | build`` puts a table on the page. A page with one of them is
read again in every build, because none of this is in its source.
"""

import importlib.metadata
import json
import os
import platform
from pathlib import Path

import psutil
from docutils import nodes
from docutils.parsers.rst.directives import choice
from sphinx.util.docutils import SphinxDirective

import attnsel_lib
from attnsel_lib.fingerprint import PACKAGES, fingerprint

TOOLS = ("jupyter-book", "Sphinx", "myst-nb", "jupyter-cache", "ipykernel", "nbval", "pytest")
DATA = ("imdb", "rotten_tomatoes")
GIB = 2**30


def versions(srcdir):
    """Rows of package and version."""
    yield "package", "version"
    yield "attnsel_lib", attnsel_lib.__version__
    yield "fingerprint", fingerprint()[:16]
    yield "Python", platform.python_version()
    for name in (*PACKAGES, *TOOLS):
        yield name, importlib.metadata.version(name)


def machine(srcdir):
    """Rows about the machine of this build."""
    yield "machine", "this build"
    yield "system", platform.system()
    yield "architecture", platform.machine()
    yield "processors", str(processors())
    yield "memory", f"{psutil.virtual_memory().total / GIB:.1f} GiB"


def processors():
    """Processors this process may use; macOS and Windows only know how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def data(srcdir):
    """Rows about the labelled texts, as the library finds them on this machine."""
    from attnsel_lib.corpus import load_corpus

    yield "name", "split", "rows", "source", "SHA-256 of the file", "licence"
    for name in DATA:
        origin = load_corpus(name).origin
        yield (
            name,
            origin.split,
            f"{origin.rows:,}",
            Path(origin.location).name,
            origin.sha256,
            origin.licence,
        )


def build(srcdir):
    """Rows of the stored measurement of ``benchmarks/build.py``."""
    yield "build", "measured"
    stored = Path(srcdir).parent / "benchmarks" / "results" / "build.json"
    if not stored.exists():
        yield "all pages", "not measured yet"
        return
    result = json.loads(stored.read_text("utf8"))
    yield "everything executed", f"{result['cold_seconds']:.0f} s"
    yield "nothing changed", f"{result['rebuild_seconds']:.1f} s"
    yield "peak memory of all processes", f"{result['peak_memory_gib']:.2f} GiB"
    yield "machine", f"{result['processors']} processors, Python {result['python']}"
    yield "pages", f"{result['pages']}, library {result['library']}, {result['date']}"


TABLES = {table.__name__: table for table in (versions, machine, data, build)}


class Status(SphinxDirective):
    """One table of the status page."""

    required_arguments = 1

    def run(self):
        """Collect the rows and read this page again next time."""
        name = choice(self.arguments[0], tuple(TABLES))
        self.env.note_reread()
        return [table_node(list(TABLES[name](self.env.srcdir)))]


def table_node(rows):
    """Docutils table of rows of strings, the first row being the head."""
    group = nodes.tgroup(cols=len(rows[0]))
    group += [nodes.colspec(colwidth=1) for _ in rows[0]]
    group += nodes.thead("", row_node(rows[0]))
    group += nodes.tbody("", *map(row_node, rows[1:]))
    return nodes.table("", group, classes=["status"])


def row_node(row):
    """One row, each cell a paragraph."""
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in row))


def setup(app):
    """Register the directive."""
    app.add_directive("companion-status", Status)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
