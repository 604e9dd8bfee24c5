"""The badge under a statement says whether it holds, in words, and stops the page when it does not."""

import re

import pytest
from bs4 import BeautifulSoup

from attnsel_lib import claims
from attnsel_lib.claims.wording import significant

from .test_store import ROOT

pytestmark = pytest.mark.usefixtures("toys")


def parsed(id):
    return BeautifulSoup(claims.badge(id)._repr_html_(), "html.parser")


def test_text_carries_verdict_numbers_and_reason():
    shown = repr(claims.badge("T1"))
    assert "T1 holds" in shown
    assert "measured 0.5, expected = 0.5 ± 0.01; 1/1 seed" in shown
    assert "rounding of" in shown
    assert re.search(r"check: tests/claims/toy\.py:\d+", shown)


def test_location_is_the_line_of_the_check():
    path, line = claims.lookup("T1").location.split(":")
    assert path == "tests/claims/toy.py"
    assert "def counted" in (ROOT / path).read_text("utf8").splitlines()[int(line) - 1]


def test_html_leads_to_the_row_and_carries_the_same_words():
    badge = parsed("T6")
    assert badge.a["href"] == "ledger.html#claim-T6"
    assert badge.strong.text == "✓ holds outside its hypotheses"
    assert badge.div["data-verdict"] == "outside"
    assert "3/3 seeds" in badge.p.text
    terms = [term.text for term in badge.find_all("dt")]
    assert terms == ["Statement", "Tolerance", "Hypotheses", "Not shown", "Source", "Check"]
    assert "not met: seed is zero" in badge.dl.text


@pytest.mark.parametrize("id", ["T1", "T3", "T4"])
def test_html_is_escaped_and_mathematics_is_marked(id):
    badge = parsed(id)
    assert {tag.name for tag in badge.find_all(True)} <= {
        *("div", "p", "a", "strong", "span", "details", "summary", "dl", "dt", "dd", "code")
    }
    formulas = [span.text for span in badge.find_all("span", class_="math")]
    assert r"\(a<b\)" in formulas
    assert "<b>c</b>" in badge.dl.text


def test_failure_stops_the_page():
    with pytest.raises(claims.ClaimFailedError, match=r"claim T2 fails: measured 0\.75, expected ≤ 0\.5"):
        claims.badge("T2")
    with pytest.raises(claims.ClaimFailedError, match="claim T5 fails: RuntimeError: no convergence"):
        claims.badge("T5")


def test_recorded_failure_is_shown_with_its_explanation():
    assert parsed("T3").strong.text == "✗ fails (known discrepancy)"
    assert "printed in haste" in parsed("T3").dl.text


def test_open_claim_says_why():
    assert repr(claims.badge("T4")).endswith("open because no proof of $p<q$ is known")
    assert parsed("T4").strong.text == "? open"


def test_unknown_claim_is_named():
    with pytest.raises(KeyError, match="unknown claim 'T9'"):
        claims.badge("T9")


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0"),
        (64.0, "64"),
        (6.30432, "6.304"),
        (-0.54123, "-0.5412"),
        (999.96, "1,000"),
        (24679.3, "24,680"),
        (1.8449e-10, "1.845e-10"),
        (3.2e7, "3.2e+07"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (None, "–"),
    ],
)
def test_four_significant_digits(number, shown):
    assert significant(number) == shown
