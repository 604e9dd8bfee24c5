"""Makes every build strict: a site is complete and without a warning, or it is not there.

Jupyter Book exits with 0 after a warning, leaves half-built pages behind after an error, and hides on the
second run the warnings of pages it does not read again. Here a build that did not end well removes the
pages and what Sphinx remembers of them. The execution cache stays, so the next run is quick. A build that
ended well writes ``complete.json``; pages without that file are never built upon, nor published.
"""

import atexit
import json
import shutil
import subprocess
from pathlib import Path

from sphinx.util import logging

import attnsel_lib
from attnsel_lib.fingerprint import fingerprint

LOGGER = logging.getLogger(__name__)
MARKER = "complete.json"


def commit(folder):
    """Commit of the repository around a folder, ``+`` behind it if files differ; None outside git."""
    try:
        head = ["git", "-C", str(folder), "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
        return subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def manifest(app):
    """What the finished site is made of."""
    return {
        "pages": sorted(app.config.external_site_map),
        "fingerprint": fingerprint(),
        "library": attnsel_lib.__version__,
    }


def begin(app, config):
    """Start from nothing unless the last build was complete and made of the same pages and library."""
    marker = Path(app.outdir) / MARKER
    last = json.loads(marker.read_text("utf8")) if marker.exists() else {}
    last.pop("commit", None)
    app.companion_manifest = manifest(app)
    if last != app.companion_manifest:
        discard(app)
    marker.unlink(missing_ok=True)
    # Sphinx emits no build-finished when it is interrupted, but Python still runs its exit handlers.
    app.companion_cleanup = atexit.register(lambda: discard(app))


def discard(app):
    """Remove pages and doctrees, keep the execution cache; logs of failed cells move out of the way."""
    outdir = Path(app.outdir)
    if (outdir / "reports").is_dir():
        shutil.copytree(outdir / "reports", outdir.parent / "reports", dirs_exist_ok=True)
    shutil.rmtree(outdir, ignore_errors=True)
    shutil.rmtree(app.doctreedir, ignore_errors=True)


def end(app, exc):
    """Mark a good build complete; fail and remove any other."""
    if exc is not None or app._warncount:
        app.statuscode = 1
        if exc is None:
            LOGGER.info("%d warnings: the site is removed, mend them and build again", app._warncount)
        return  # the exit handler removes what was built
    atexit.unregister(app.companion_cleanup)
    shutil.rmtree(Path(app.outdir).parent / "reports", ignore_errors=True)
    record = app.companion_manifest | {"commit": commit(app.srcdir)}
    (Path(app.outdir) / MARKER).write_text(json.dumps(record, indent=1) + "\n", "utf8")


def setup(app):
    """Begin after sphinx-external-toc has read the list of pages, end after every other extension."""
    app.connect("config-inited", begin, priority=950)
    app.connect("build-finished", end, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
