"""Sphinx extension of this book: offline assets, the key of the execution cache, downloads.

``companion_strict`` lets no build with a warning through; ``companion_status`` fills the status page.
"""

import functools
import importlib.metadata
import importlib.util
import shutil
from pathlib import Path

import nbformat
from jupyter_cache import get_cache

from attnsel_lib.fingerprint import fingerprint

MATHJAX_PARTS = ("tex-chtml-full.js", "output/chtml/fonts")


def key_cache(app, config):
    """Name the execution cache after what cells import and read.

    jupyter-cache compares the cells alone: without this, figures of the old library would be published.
    The cache's own tools are in the name because their database format changes between versions.
    """
    tools = "-".join(importlib.metadata.version(name) for name in ("jupyter-cache", "ipykernel"))
    root = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(root / f"{fingerprint()[:16]}-{tools}")


def mathjax_folder():
    """Folder of the installed MathJax; the distribution's name is no Python identifier."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None:
        raise RuntimeError("sphinx-mathjax-offline is not installed, equations would need a network")
    return Path(next(iter(spec.submodule_search_locations))) / "static" / "mathjax"


def copy_mathjax(app, exc):
    """Put MathJax beside the pages, after Sphinx has written its static files."""
    if exc is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "vendor" / "mathjax"
    for part in MATHJAX_PARTS:
        source, copy = mathjax_folder() / part, target / part
        if source.is_dir():
            shutil.copytree(source, copy, dirs_exist_ok=True)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)


def copy_notebooks(app, exc):
    """Put the executed notebook of each chapter beside the pages, for the download button."""
    if exc is not None or app.builder.format != "html":
        return
    for docname in filter(functools.partial(source_notebook, app), app.env.found_docs):
        target = Path(app.outdir) / "_notebooks" / f"{docname}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(executed_notebook(app, docname), target)


def source_notebook(app, docname):
    """Where myst-nb leaves a chapter as a notebook, without outputs; None for a page that is none."""
    path = Path(app.outdir).parent / "jupyter_execute" / f"{docname}.ipynb"
    return path if path.exists() else None


def executed_notebook(app, docname):
    """A chapter with the outputs that its page shows, from the execution cache."""
    notebook = nbformat.read(source_notebook(app, docname), as_version=4)
    if any(cell.cell_type == "code" for cell in notebook.cells):
        _, notebook = get_cache(app.config.nb_execution_cache_path).merge_match_into_notebook(notebook)
    return notebook


def offer_notebook(app, pagename, templatename, context, doctree):
    """Add a button that downloads the executed notebook; the theme would offer the Markdown source."""
    if doctree is None or source_notebook(app, pagename) is None:
        return
    context["header_buttons"].append(
        {
            "type": "link",
            "url": context["pathto"](f"_notebooks/{pagename}.ipynb", 1),
            "text": "",
            "tooltip": "Download this page as an executed notebook",
            "icon": "fas fa-download",
            "label": "download-notebook-button",
        }
    )


def drop_repeated_scripts(app, pagename, templatename, context, doctree):
    """sphinx-thebe registers its inline script twice, a SyntaxError in the browser."""
    seen, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body")
        if body is None or body not in seen:
            kept.append(script)
        seen.add(body)
    context["script_files"] = kept


def setup(app):
    """Connect the handlers; the strict part comes last at the end of a build and first at its start."""
    app.connect("config-inited", key_cache, priority=900)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", copy_notebooks)
    app.connect("html-page-context", offer_notebook, priority=600)
    app.connect("html-page-context", drop_repeated_scripts, priority=900)
    app.setup_extension("companion_api")
    app.setup_extension("companion_claims")
    app.setup_extension("companion_figures")
    app.setup_extension("companion_strict")
    app.setup_extension("companion_status")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
