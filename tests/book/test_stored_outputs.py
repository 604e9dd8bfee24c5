"""Canaries: stored outputs are compared, and a chapter out of step with them is reported."""

import shutil

import nbformat
import pytest

from tools import notebooks

from .conftest import ROOT

CELL = "from IPython.display import display\nprint(f'{0.123456:.4f}')\ndisplay(1 + 1)"


@pytest.fixture
def stored(small_book):
    """The small book, its page executed and stored by the project's own tool."""
    for name in ("conftest.py", "tools", "tests/nbval_sanitize.cfg"):
        target = small_book.root / name
        target.parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    small_book.write(CELL)
    assert sync(small_book)[0] == 0
    return small_book


def sync(book, *options):
    return book.run("python", "tools/notebooks.py", "sync", *options)


def rewrite(book, change):
    path = book.root / "notebooks" / "page.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change([cell for cell in notebook.cells if cell.cell_type == "code"])
    nbformat.write(notebook, path)


def test_nbval_compares_numbers_and_refuses_empty_notebooks(stored):
    status, output = stored.run("pytest", "--nbval", "-q")
    assert status == 0, output

    def alter(cells):
        assert cells[0].outputs[0].text == "0.1235\n"
        cells[0].outputs[0].text = "0.1236\n"

    rewrite(stored, alter)
    status, output = stored.run("pytest", "--nbval", "-q", "notebooks")
    assert status == 1
    assert "0.1236" in output

    def strip(cells):
        cells[0].outputs, cells[0].execution_count = [], None

    rewrite(stored, strip)
    status, output = stored.run("pytest", "--nbval", "-q", "notebooks")
    assert status != 0
    assert "make sync" in output


def test_executing_again_stores_the_same_bytes(stored):
    path = stored.root / "notebooks" / "page.ipynb"
    first = path.read_bytes()
    status, output = sync(stored, "--force")
    assert status == 0
    assert "executed page.md" in output
    assert path.read_bytes() == first


def test_chapter_out_of_step_names_the_command(stored):
    assert notebooks.check(stored.root) == []
    stored.write(CELL.replace("1 + 1", "1 + 2"))
    assert notebooks.check(stored.root) == ["notebooks/page.ipynb differs from book/page.md: run 'make sync'"]
    (stored.book / "page.md").rename(stored.book / "renamed.md")
    missing, orphan = notebooks.check(stored.root)
    assert "renamed.ipynb is missing" in missing
    assert "page.ipynb has no chapter" in orphan
    assert all("make sync" in text for text in (missing, orphan))


def test_failing_chapter_keeps_its_stored_outputs(stored):
    path = stored.root / "notebooks" / "page.ipynb"
    before = path.read_bytes()
    stored.write("1 / 0")
    status, output = sync(stored)
    assert status == 1
    assert "book/page.md: " in output
    assert "ZeroDivisionError" in output
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["page.ipynb"]
