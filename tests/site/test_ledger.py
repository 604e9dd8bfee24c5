"""The table of claims: found, filtered and sorted by keyboard, at any width, with and without a server."""

import json

import jsonschema
import pytest

PAGE = "ledger.html"
COLUMN = """(table, name) => [...table.querySelectorAll(`tbody td[data-head="${name}"]`)]
  .map(cell => parseFloat(cell.dataset.value ?? cell.textContent))"""


@pytest.fixture(scope="session")
def ledger(site):
    return json.loads((site / "ledger.json").read_text("utf8"))


@pytest.fixture(params=[1280, 390], ids=["desktop", "phone"])
def seen(request, visit):
    opened = visit(request.param)
    opened.open(PAGE)
    yield opened
    assert opened.problems == []


def shown(tab):
    return tab.locator(".ledger tbody tr:visible")


def focus(tab, selector, limit=200):
    """Press Tab until an element has the focus, as a reader without a mouse does."""
    for _ in range(limit):
        tab.keyboard.press("Tab")
        if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{selector} cannot be reached by keyboard")


def column(tab, name):
    return tab.evaluate(f"name => ({COLUMN})(document.querySelector('.ledger table'), name)", name)


def test_record_obeys_its_schema_and_agrees_with_the_page(site, ledger, seen):
    schema = json.loads((site / ledger["schema"]).read_text("utf8"))
    jsonschema.validate(ledger, schema)
    assert "commit" in ledger
    rows = seen.tab.evaluate("[...document.querySelectorAll('.ledger tbody tr')].map(row => row.id)")
    assert rows == [f"claim-{entry['id']}" for entry in ledger["claims"]]
    assert rows


def test_filters_by_keyboard_count_what_is_left(seen, ledger):
    tab, claims = seen.tab, ledger["claims"]
    count = tab.locator(".ledger-filter output")
    assert count.get_attribute("aria-live") == "polite"
    assert count.inner_text() == f"{len(claims)} of {len(claims)} claims"

    focus(tab, ".ledger-filter input")
    tab.keyboard.type(claims[-1]["id"].lower())
    left = shown(tab).count()
    assert 0 < left < len(claims)
    assert count.inner_text() == f"{left} of {len(claims)} claims"
    tab.keyboard.press("Control+A")
    tab.keyboard.type("no claim says this")
    assert shown(tab).count() == 0
    tab.keyboard.press("Control+A")
    tab.keyboard.press("Delete")

    focus(tab, ".ledger-filter label:nth-of-type(3) select")
    chapter = claims[-1]["chapter"]
    tab.locator(":focus").select_option(chapter)
    assert shown(tab).count() == sum(entry["chapter"] == chapter for entry in claims)
    tab.locator(":focus").select_option("")
    tab.locator(".ledger-filter label:nth-of-type(2) select").select_option("holds")
    assert shown(tab).count() == sum(entry["verdict"] == "holds" for entry in claims)


def test_sorts_by_keyboard(seen):
    tab = seen.tab
    before = column(tab, "Measured")
    focus(tab, "th:nth-of-type(5) button")
    assert tab.evaluate("document.activeElement.textContent") == "Measured"
    for key, state, reverse in (("Enter", "ascending", False), ("Space", "descending", True)):
        tab.keyboard.press(key)
        assert tab.get_attribute("th:nth-of-type(5)", "aria-sort") == state
        assert tab.locator("th[aria-sort]").count() == 1
        numbers = [x for x in column(tab, "Measured") if x == x]
        assert numbers == sorted(numbers, reverse=reverse)
        assert len(column(tab, "Measured")) == len(before)


def test_link_to_a_filtered_row_shows_it(seen, ledger):
    tab, last = seen.tab, ledger["claims"][-1]["id"]
    tab.fill(".ledger-filter input", "no claim says this")
    tab.evaluate(f"location.hash = '#claim-{last}'")
    tab.wait_for_function("id => document.getElementById(id).checkVisibility()", arg=f"claim-{last}")


def test_works_from_a_file(visit, site, ledger):
    tab = visit(1280).tab
    tab.goto((site / PAGE).as_uri())
    tab.fill(".ledger-filter input", ledger["claims"][0]["id"])
    assert 0 < shown(tab).count() <= len(ledger["claims"])


def test_is_a_plain_table_without_scripts(browser, site, ledger):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((site / PAGE).as_uri())
    assert shown(tab).count() == len(ledger["claims"])
    assert tab.locator(".ledger-filter").count() == 0
    context.close()


def test_phone_scrolls_nothing_but_the_table(visit):
    tab = visit(390).tab
    tab.goto(f"{visit(390).address}/{PAGE}")
    tab.evaluate("document.querySelectorAll('.ledger details').forEach(d => { d.open = true; })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.evaluate("document.querySelector('.ledger').scrollWidth") <= 390
