"""Every claim of the book holds, is open, or is a known discrepancy; and every breakage makes it fail."""

import pytest

from attnsel_lib.claims import REGISTRY, Verdict, run, stored_run

BREAKAGES = [(id, breakage.name) for id, entry in REGISTRY.items() for breakage in entry.breakages]


@pytest.mark.parametrize("id", list(REGISTRY))
def test_claim_is_not_refuted(id):
    entry, outcome = REGISTRY[id], stored_run(id)
    expected = {Verdict.HOLDS} if entry.check else {Verdict.OPEN}
    if entry.known:
        expected = {Verdict.FAILS}
    assert outcome.verdict in expected, outcome


@pytest.mark.parametrize(("id", "breakage"), BREAKAGES)
def test_breakage_is_detected_by_the_numbers(id, breakage):
    outcome = run(id, breakage)
    assert outcome.verdict is Verdict.FAILS, outcome
    assert not outcome.error, "an exception is no measurement"


def test_the_registry_is_in_numerical_order():
    numbers = [int(id.lstrip("C").rstrip("abc")) for id in REGISTRY]
    assert numbers == sorted(numbers)
