"""Keep ``notebooks/*.ipynb``, the chapters with their stored outputs, in step with ``book/*.md``.

python tools/notebooks.py sync    execute the chapters that changed and store their outputs
python tools/notebooks.py check   exit with 1 when a pair is out of step; executes nothing

``sync`` looks at the cells only: after a change in the library, ``sync --force`` (``make sync FORCE=1``)
executes every chapter, and the difference in the stored outputs is to be reviewed like any other.
"""

import argparse
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
KERNELSPEC = {"name": "python3", "display_name": "Python 3", "language": "python"}
CELL_TIMEOUT = 300  # seconds, as in book/_config.yml
SECONDS = re.compile(r'(class="seconds"[^>]*>)[^<]*')
IMAGES = ("image/png", "image/jpeg", "image/svg+xml")


def chapters(root=ROOT):
    """The Markdown files of the book that are notebooks."""
    pages = sorted((root / "book").glob("*.md"))
    return [page for page in pages if "format_name: myst" in page.read_text("utf8")[:400]]


def stored_path(chapter):
    """Where a chapter's stored outputs are kept."""
    return chapter.parents[1] / "notebooks" / f"{chapter.stem}.ipynb"


def convert(chapter):
    """Read a chapter as a notebook whose metadata and cell ids are the same in every run."""
    notebook = jupytext.read(chapter)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{chapter.stem.replace('_', '-')}-{number:03d}"
    return notebook


def content(notebook):
    """What a pair must agree on."""
    return [(cell.cell_type, cell.source.strip(), dict(cell.metadata)) for cell in notebook.cells]


def unusable(notebook):
    """Why a stored notebook cannot serve as reference, or None."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(counts) + 1)):
        return f"was not executed from top to bottom (counts {counts})"
    if code and not any(cell.outputs for cell in code):
        return "has no stored outputs"
    return None


def problem(chapter):
    """One sentence on why a chapter's stored notebook is out of step, or None."""
    path = stored_path(chapter)
    if not path.exists():
        return f"notebooks/{path.name} is missing: run 'make sync'"
    stored = nbformat.read(path, as_version=4)
    if content(stored) != content(convert(chapter)):
        return f"notebooks/{path.name} differs from book/{chapter.name}: run 'make sync'"
    if reason := unusable(stored):
        return f"notebooks/{path.name} {reason}: run 'make sync'"
    return None


def orphans(root=ROOT):
    """Stored notebooks whose chapter is gone."""
    names = {chapter.stem for chapter in chapters(root)}
    return [path for path in sorted((root / "notebooks").glob("*.ipynb")) if path.stem not in names]


def execute(chapter):
    """Execute a chapter and replace its stored notebook in one step."""
    notebook, path = convert(chapter), stored_path(chapter)
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    strip(notebook)
    unfinished = path.with_suffix(".tmp")
    nbformat.write(notebook, unfinished)
    os.replace(unfinished, path)
    print(f"executed {chapter.name}", flush=True)


def strip(notebook):
    """Drop what differs between runs or is not compared: interpreter, images, ignored outputs, seconds."""
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
        for output in cell.get("outputs", []):
            for kind in IMAGES:
                output.get("data", {}).pop(kind, None)
                output.get("metadata", {}).pop(kind, None)
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = SECONDS.sub(r"\1", output.data["text/html"])


def check(root=ROOT):
    """Sentences on every pair that is out of step."""
    found = [text for text in map(problem, chapters(root)) if text]
    return found + [f"notebooks/{path.name} has no chapter: run 'make sync'" for path in orphans(root)]


def sync(force=False, jobs=2, root=ROOT):
    """Execute the chapters that need it, remove orphans; the exit status."""
    (root / "notebooks").mkdir(exist_ok=True)
    prepare_kernels(root)
    for path in orphans(root):
        path.unlink()
        print(f"removed notebooks/{path.name}, its chapter is gone")
    stale = [chapter for chapter in chapters(root) if force or problem(chapter)]
    failed = sum(execute_all(stale, jobs))
    print(f"{len(stale) - failed} of {len(chapters(root))} chapters executed and stored")
    return int(failed > 0)


def prepare_kernels(root):
    """Give kernels the environment they have in a build: one BLAS thread, the outcomes of claims."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a build: the same sums on any machine
    if not os.environ.get("ATTNSEL_CACHE"):
        os.environ["ATTNSEL_CACHE"] = str(root / "book" / "_build" / ".claims")


def execute_all(stale, jobs):
    """Execute chapters, some at a time; yield for each whether it failed. An interruption starts no more."""
    with ThreadPoolExecutor(jobs) as pool:
        running = [(chapter, pool.submit(execute, chapter)) for chapter in stale]
        try:
            for chapter, job in running:
                if error := job.exception():
                    print(f"book/{chapter.name}: {error}", file=sys.stderr)
                yield bool(error)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["sync", "check"])
    parser.add_argument("--force", action="store_true", help="execute every chapter")
    parser.add_argument("--jobs", type=int, default=2, help="kernels at a time")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder that holds book/ and notebooks/")
    given = parser.parse_args(arguments)
    if given.action == "sync":
        return sync(given.force, given.jobs, given.root.resolve())
    problems = check(given.root.resolve())
    print("\n".join(problems) or "every chapter and its stored notebook agree")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
