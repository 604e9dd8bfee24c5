"""The ledger as a table and as a record that its schema describes."""

import json
from pathlib import Path

import jsonschema
import pytest
from bs4 import BeautifulSoup

from attnsel_lib import claims
from attnsel_lib.claims.report import COLUMNS

SCHEMA = json.loads(Path(claims.__file__).with_name("ledger.schema.json").read_text("utf8"))


def schemas(node):
    """Every subschema that describes a value."""
    for schema in node.get("properties", {}).values():
        yield schema
        yield from schemas(schema)
    for part in (node.get("items"), *node.get("$defs", {}).values()):
        if part:
            yield from schemas(part)


@pytest.fixture
def outcomes(toys):
    return claims.run_all()


def written(outcomes, breakages=None):
    return json.loads(json.dumps(claims.record(outcomes, breakages), allow_nan=False))


def test_schema_is_one_and_documents_every_field():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert len(list(schemas(SCHEMA))) > 25
    assert [schema for schema in schemas(SCHEMA) if not schema.get("description")] == []


def test_record_obeys_the_schema(outcomes):
    ledger = written(outcomes, {"T1": claims.detected("T1")})
    jsonschema.validate(ledger, SCHEMA)
    assert [entry["id"] for entry in ledger["claims"]] == ["T1", "T2", "T3", "T4", "T5", "T6"]
    first = ledger["claims"][0]
    assert first["breakages"] == [{"name": "twice as much", "detected": True}]
    assert first["hypotheses"] == {"seed is zero": True}
    assert ledger["claims"][-1]["breakages"][0]["detected"] is None


@pytest.mark.parametrize("field", ["id", "verdict", "measured", "tolerance", "breakages", "seconds"])
def test_schema_notices_a_missing_or_wrong_field(outcomes, field):
    ledger = written(outcomes)
    value = ledger["claims"][0].pop(field)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(ledger, SCHEMA)
    ledger["claims"][0][field] = [value]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(ledger, SCHEMA)


def test_numbers_that_are_not_finite_become_null(toys, monkeypatch):
    monkeypatch.setattr("tests.claims.toy.factor", lambda: float("nan"))
    ledger = written(claims.run_all(ids=["T1"]))
    assert ledger["claims"][0]["measured"] is None
    assert ledger["claims"][0]["verdict"] == "fails"
    jsonschema.validate(ledger, SCHEMA)


def test_only_unexplained_failures_are_listed(outcomes):
    lines = claims.unexplained_failures(outcomes)
    assert [line.split()[0] for line in lines] == ["T2", "T5"]
    assert "no convergence" in lines[1]


@pytest.mark.usefixtures("toys")
def test_explanations_are_listed_and_escaped():
    known = BeautifulSoup(claims.explained("known").data, "html.parser")
    assert [link["href"] for link in known.find_all("a")] == ["ledger.html#claim-T3"]
    assert "the other <value> was printed in haste" in known.text
    opened = BeautifulSoup(claims.explained("open_because").data, "html.parser")
    assert "no proof of" in opened.tbody.text


def test_without_explanations_the_page_says_so(toys):
    del toys["T3"]
    assert "None at present." in claims.explained("known").data


def test_table_has_a_row_for_each_claim_and_is_escaped(outcomes):
    table = BeautifulSoup(claims.ledger_table(outcomes).data, "html.parser")
    rows = table.tbody.find_all("tr")
    assert [row["id"] for row in rows] == [f"claim-T{number}" for number in range(1, 7)]
    assert all(len(row.find_all("td")) == len(COLUMNS) for row in rows)
    assert "<b>c</b>" in rows[0].text
    assert table.b is None
    assert rows[0].find("td", {"data-head": "Measured"})["data-value"] == "0.5"
    assert rows[3].find("td", {"data-head": "Measured"}).text == "–"
    assert rows[5].find("td", {"data-head": "Seeds"}).text == "3/3"
    assert "no convergence <here>" in rows[4].text
