"""Every chapter agrees with its stored notebook, every linked file with its other name."""

from pathlib import Path

import pytest
import yaml

from tools import notebooks

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("chapter", notebooks.chapters(), ids=lambda path: path.stem)
def test_stored_notebook_is_in_step(chapter):
    assert notebooks.problem(chapter) is None


def test_no_stored_notebook_without_chapter():
    assert notebooks.orphans() == []


@pytest.mark.parametrize("name", ["_config.yml", "_toc.yml"])
def test_top_level_file_is_the_book_s(name):
    # Without support for symbolic links git checks the link out as a file that holds its target.
    top, real = ROOT / name, ROOT / "book" / name
    assert top.read_text("utf8").strip() in (real.read_text("utf8").strip(), f"book/{name}")
    assert top.is_symlink() or top.read_text("utf8") == f"book/{name}"


def test_every_page_of_the_book_is_in_its_table_of_contents():
    listed = set()

    def collect(node):
        if isinstance(node, dict):
            listed.update(value for key, value in node.items() if key in ("root", "file"))
            node = list(node.values())
        if isinstance(node, list):
            for item in node:
                collect(item)

    collect(yaml.safe_load((ROOT / "book" / "_toc.yml").read_text("utf8")))
    assert listed == {path.stem for path in (ROOT / "book").glob("*.md")}
