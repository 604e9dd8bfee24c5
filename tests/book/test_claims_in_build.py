"""Canaries: a build writes the ledger beside its pages, and a claim that fails stops it."""

import json

import jsonschema
import pytest

from .conftest import HEADER, ROOT

ONLY = (
    "\nfrom . import toy\n\nREGISTRY.clear()\ntoy.register()\nfor id in ({left_out}):\n    del REGISTRY[id]\n"
)
CELL = "```{code-cell} ipython3\nfrom attnsel_lib.claims import ledger_table\n\nledger_table()\n```\n"


@pytest.fixture
def book_of_toys(small_book, monkeypatch):
    """A book with the page "ledger" whose library has the toy claims only, but for those left out."""
    monkeypatch.delenv("ATTNSEL_CACHE", raising=False)

    def write(*left_out):
        small_book.copy_library()
        room = small_book.library / "claims"
        toy = (ROOT / "tests" / "claims" / "toy.py").read_text("utf8")
        (room / "toy.py").write_text(toy.replace("tests.claims.toy", "attnsel_lib.claims.toy"), "utf8")
        with (room / "__init__.py").open("a", encoding="utf8") as file:
            file.write(ONLY.format(left_out="".join(f"{id!r}, " for id in left_out)))
        (small_book.book / "ledger.md").write_text(f"{HEADER}# Ledger\n\n{CELL}", "utf8")
        toc = "format: jb-book\nroot: page\nchapters:\n- file: ledger\n"
        (small_book.book / "_toc.yml").write_text(toc, "utf8")
        return small_book

    return write


def test_ledger_is_written_beside_the_pages(book_of_toys):
    book = book_of_toys("T2", "T5")
    book.write('from attnsel_lib.claims import badge\nbadge("T3")')
    status, output = book.build()
    assert status == 0, output
    schema = json.loads((book.site / "ledger.schema.json").read_text("utf8"))
    ledger = json.loads((book.site / "ledger.json").read_text("utf8"))
    jsonschema.validate(ledger, schema)
    assert {entry["id"]: entry["verdict"] for entry in ledger["claims"]} == {
        "T1": "holds",
        "T3": "fails",
        "T4": "open",
        "T6": "holds outside its hypotheses",
    }
    assert "fails (known discrepancy)" in (book.site / "page.html").read_text("utf8")
    assert [path.name for path in (book.book / "_build" / ".claims").rglob("T1.json")] == ["T1.json"]


def test_failing_claim_stops_the_build(book_of_toys):
    book = book_of_toys("T5")
    book.write()
    status, output = book.build()
    assert status != 0
    assert "claim T2 fails: measured 0.75, expected ≤ 0.5 + 0.01" in output
    assert book.pages() == []


def test_badge_of_a_failing_claim_stops_its_page(book_of_toys):
    book = book_of_toys("T5")
    book.write('from attnsel_lib.claims import badge\nbadge("T2")')
    status, output = book.build()
    assert status != 0
    assert "ClaimFailedError" in output
    assert book.pages() == []
