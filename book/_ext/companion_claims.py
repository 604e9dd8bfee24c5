"""The claim ledger of a build: a folder for its outcomes, links, ``ledger.json``, and failure.

Pages, tests and the last step of a build share outcomes through ``$ATTNSEL_CACHE``; kernels inherit it. Links
are completed here because the library, which writes the cells' HTML, does not know which pages there are.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from companion_strict import commit
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
PAGE = "ledger"
CHAPTER = re.compile(r'<span data-page="(\w+)">[^<]*</span>')
SOURCE = re.compile(r'<code data-module="([\w.]+)">([^<]+)</code>')


def tell_kernels(app, config):
    """Keep outcomes beside the site unless somebody said where; ``make`` says the same folder."""
    if not os.environ.get("ATTNSEL_CACHE"):
        os.environ["ATTNSEL_CACHE"] = str(Path(app.outdir).resolve().parent / ".claims")


def run_claims(app, env, docnames):
    """Run all claims before the first page: no cell then waits for more than one of them.

    In a process of its own, which gives its memory back; its bar of progress is the build's.
    """
    if docnames and PAGE in env.found_docs:
        subprocess.run(
            [sys.executable, "-m", "attnsel_lib", "claims"], stdout=subprocess.DEVNULL, check=False
        )


def complete_links(app, pagename, templatename, context, doctree):
    """Turn names of chapters and files into links where the book has them."""
    body = context.get("body", "")
    if 'class="claim ' in body or 'class="ledger ' in body:
        body = CHAPTER.sub(lambda found: chapter_link(app, found[1]), body)
        context["body"] = SOURCE.sub(lambda found: source_link(app, *found.groups()), body)


def chapter_link(app, name):
    """Title of a page with a link, or the name of a page that is not there yet."""
    if name not in app.env.titles:
        return f"<span>{name}</span>"
    title = html.escape(app.env.titles[name].astext())
    return f'<a href="{app.builder.get_relative_uri(PAGE, name)}">{title}</a>'


def source_link(app, module, location):
    """File and line, with a link where the book shows the module's source."""
    if module not in getattr(app.env, "_viewcode_modules", {}):
        return f"<code>{location}</code>"
    return f'<a href="_modules/{module.replace(".", "/")}.html"><code>{location}</code></a>'


def write_ledger(app, exc):
    """Write ``ledger.json`` and its schema; a failing claim is a warning, so the build fails."""
    if exc is not None or app.builder.format != "html" or PAGE not in app.env.found_docs:
        return
    from attnsel_lib import claims

    outcomes = claims.run_all()
    for line in claims.unexplained_failures(outcomes):
        LOGGER.warning("claim %s", line)
    ledger = claims.record(outcomes) | {"commit": commit(app.srcdir)}
    out = Path(app.outdir)
    (out / "ledger.json").write_text(json.dumps(ledger, indent=1, allow_nan=False) + "\n", "utf8")
    shutil.copy2(Path(claims.__file__).with_name("ledger.schema.json"), out)


def setup(app):
    """Connect after the cache has its name, and before the strict part counts the warnings."""
    app.connect("config-inited", tell_kernels, priority=910)
    app.connect("env-before-read-docs", run_claims)
    app.connect("html-page-context", complete_links)
    app.connect("build-finished", write_ledger)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
