"""Links and downloads of the built site lead somewhere; no browser needed."""

import functools
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup


@functools.cache
def parsed(path):
    return BeautifulSoup(path.read_bytes(), "html.parser")


@functools.cache
def anchors(path):
    named = parsed(path).find_all(attrs={"id": True}) + parsed(path).find_all("a", attrs={"name": True})
    return {tag.get("id") or tag.get("name") for tag in named}


def local_targets(path):
    """Addresses on a page that lead into the site."""
    for tag in parsed(path).find_all(["a", "link", "script", "img"]):
        address = urlsplit(tag.get("href") or tag.get("src") or "")
        if not address.scheme and not address.netloc and (address.path or address.fragment):
            yield unquote(address.path), unquote(address.fragment)


def broken(path):
    for target, fragment in local_targets(path):
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            yield target
        elif fragment and file.suffix == ".html" and fragment not in anchors(file):
            yield f"{target}#{fragment}"


def test_internal_links_resolve(page, site):
    assert sorted(set(broken(site / page))) == []


def test_nothing_is_loaded_from_elsewhere(page, site):
    tags = parsed(site / page).find_all(["link", "script", "img", "iframe"])
    addresses = [tag.get("src") or (tag.get("href") if tag.name == "link" else None) or "" for tag in tags]
    assert [text for text in addresses if urlsplit(text).netloc] == []


def test_every_chapter_is_there(site, chapters):
    assert [name for name in chapters if not (site / f"{name}.html").exists()] == []


def test_downloads_are_executed_notebooks(site):
    downloads = sorted((site / "_notebooks").glob("*.ipynb"))
    if not downloads:
        pytest.fail("no chapter offers its notebook")
    for path in downloads:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code"), path.name
        assert f"_notebooks/{path.name}" in (site / f"{path.stem}.html").read_text("utf8")
