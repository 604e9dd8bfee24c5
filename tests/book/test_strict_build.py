"""Canaries: a page that is not right fails the plain `jupyter-book build book/` and leaves no site."""

import json
import signal

import pytest

BAD_PAGES = {
    "raises": (["1 / 0"], "Text.", "ZeroDivisionError"),
    "prints to stderr": (["import sys\nprint('psst', file=sys.stderr)"], "Text.", "stderr"),
    "warns": (["import warnings\nwarnings.warn('old', stacklevel=1)"], "Text.", "stderr"),
    "runs over its time": (["import time\ntime.sleep(60)"], "Text.", "CellTimeoutError"),
    "breaks a reference": ([], "See {ref}`nowhere`.", "undefined label"),
}


@pytest.mark.parametrize("kind", BAD_PAGES)
def test_bad_page_fails_every_build(small_book, kind):
    cells, text, reason = BAD_PAGES[kind]
    configuration = small_book.book / "_config.yml"
    assert "timeout: 300" in configuration.read_text()
    configuration.write_text(configuration.read_text().replace("timeout: 300", "timeout: 2"))
    small_book.write(*cells, text=text)
    for attempt in ("first", "second"):
        status, output = small_book.build()
        assert status != 0, attempt
        assert reason in output, output
        assert small_book.pages() == [], attempt


def test_site_follows_the_library_and_is_removed_by_a_bad_edit(small_book):
    small_book.copy_library()
    constant = small_book.library / "canary.py"
    constant.write_text("VALUE = 'first value'\n")
    cell = "from attnsel_lib.canary import VALUE\nprint('the', VALUE)"
    small_book.write(cell)

    status, output = small_book.build()
    assert status == 0, output
    assert "the first value" in (small_book.site / "page.html").read_text("utf8")
    assert json.loads((small_book.site / "complete.json").read_text("utf8"))["pages"] == ["page"]

    constant.write_text("VALUE = 'other value'\n")
    status, output = small_book.build()
    assert status == 0, output
    assert "the other value" in (small_book.site / "page.html").read_text("utf8")

    small_book.write(cell, text="See {numref}`nowhere`.")
    status, output = small_book.build()
    assert status != 0
    assert "Using cached notebook" in output
    assert small_book.pages() == []


def test_interrupted_build_leaves_no_site(small_book):
    small_book.write()
    status, output = small_book.build()
    assert status == 0, output
    assert "page.html" in small_book.pages()

    small_book.write("import time\ntime.sleep(60)")
    process = small_book.command("jupyter-book", "build", "book/", bufsize=1)
    for line in process.stdout:
        if "Executing notebook" in line:
            process.send_signal(signal.SIGINT)
            break
    process.communicate()
    assert process.returncode != 0
    assert small_book.pages() == []


def test_removed_chapter_is_not_published_any_more(small_book):
    small_book.write()
    (small_book.book / "old.md").write_text("# Old\n")
    toc = small_book.book / "_toc.yml"
    both = toc.read_text() + "chapters:\n- file: old\n"
    alone = toc.read_text()
    for text, expected in ((both, True), (alone, False)):
        toc.write_text(text)
        status, output = small_book.build()
        assert status == 0, output
        assert ("old.html" in small_book.pages()) is expected
