"""One figure of the book alone: the cells of its chapter up to the one that draws it."""

import base64
import os
import tempfile
from pathlib import Path
from unittest import mock

import attnsel_lib

CELL_TIMEOUT = 300  # seconds, as in the book


def book_folder(book=None):
    """Folder of the chapters, by default the one beside the library; FileNotFoundError without it."""
    folder = Path(book or Path(attnsel_lib.__file__).parents[1] / "book")
    if not folder.is_dir():
        raise FileNotFoundError(f"no chapters in {folder}: figures are made in a checkout of the repository")
    return folder


def figure_names(book):
    """Figures of a book and the chapter each stands in, {id: path of the chapter}."""
    import jupytext

    names = {}
    for chapter in sorted(Path(book).glob("*.md")):
        if "format_name: myst" in chapter.read_text("utf8")[:400]:
            for cell in jupytext.read(chapter).cells:
                if name := _figure_name(cell):
                    names[name] = chapter
    return names


def regenerate(id, out, book=None):
    """Execute the cells a figure needs and write ``<id>.png`` and ``<id>.json`` into a folder.

    Parameters
    ----------
    id : str, name of the figure, e.g. "fig-imdb-u"
    out : path of the folder, made if it is missing
    book : path of the folder with the chapters; by default the one beside the library

    Returns
    -------
    list of pathlib.Path, the files written

    Raises
    ------
    ValueError
        If no chapter has a figure of this name; the message lists those there are.
    FileNotFoundError
        If there is no folder with chapters.
    nbclient.exceptions.CellExecutionError
        If a cell of the chapter fails.
    """
    names = figure_names(book_folder(book))
    if id not in names:
        raise ValueError(f"unknown figure {id!r}: known are {', '.join(sorted(names))}")
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="attnsel-") as folder:
        cell = _execute_until_published(names[id], id, folder)
        arrays = (Path(folder) / f"{id}.json").read_bytes()
    picture = next(o.data["image/png"] for o in cell.outputs if "image/png" in o.get("data", {}))
    written = [out / f"{id}.png", out / f"{id}.json"]
    for path, content in zip(written, (base64.b64decode(picture), arrays), strict=True):
        path.write_bytes(content)
    return written


def _execute_until_published(chapter, id, folder):
    """The executed cell that draws the figure; the cell that publishes its arrays comes after it."""
    import jupytext
    from nbclient import NotebookClient

    notebook = jupytext.read(chapter)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    drawn = next(k for k, cell in enumerate(code) if _figure_name(cell) == id)
    published = next((k for k in range(drawn, len(code)) if _publishes(code[k], id)), None)
    if published is None:
        raise ValueError(f"{chapter.name} draws {id!r} but no cell below publishes it")
    notebook.cells = code[: published + 1]
    with mock.patch.dict(os.environ, ATTNSEL_FIGURES=folder):
        NotebookClient(
            notebook,
            timeout=CELL_TIMEOUT,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        ).execute()
    return notebook.cells[drawn]


def _publishes(cell, id):
    return "publish(" in cell.source and f'"{id}"' in cell.source


def _figure_name(cell):
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
