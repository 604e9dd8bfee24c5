"""What a claim is: refused records, verdicts, exceptions, breakages, quorum."""

import math

import pytest

from attnsel_lib.claims import Breakage, Finding, Verdict, claim, lookup, open_claim, run

from .toy import RECORD, WORDS, fail, half


def register(check=half, **changes):
    claim(id="X1", **RECORD | WORDS | changes)(check)
    return run("X1")


@pytest.mark.parametrize(
    ("measured", "direction", "agrees"),
    [
        (0.51, "equal", True),
        (0.49, "equal", True),
        (0.52, "equal", False),
        (0.48, "equal", False),
        (0.51, "at most", True),
        (-9.0, "at most", True),
        (0.52, "at most", False),
        (0.49, "at least", True),
        (math.inf, "at least", True),
        (0.48, "at least", False),
        (math.nan, "equal", False),
        (math.nan, "at most", False),
        (math.nan, "at least", False),
        (math.inf, "equal", False),
    ],
)
def test_a_finding_agrees_within_its_tolerance_and_direction(toys, measured, direction, agrees):
    assert Finding(measured, 0.5, direction).within(0.01 + 1e-12) is agrees
    outcome = register(lambda seed: Finding(measured, 0.5, direction), tolerance=0.01 + 1e-12)
    assert outcome.verdict is (Verdict.HOLDS if agrees else Verdict.FAILS)
    assert outcome.passed == agrees


def test_a_direction_is_one_of_three(toys):
    with pytest.raises(ValueError, match="direction must be one of equal, at most, at least, got 'less'"):
        Finding(1.0, 1.0, "less").within(0)
    assert register(lambda seed: Finding(1.0, 1.0, "less")).verdict is Verdict.FAILS


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"breakages": ()}, "claim X1 has no breakage"),
        ({"why": ""}, "claim X1 must give the reason of its tolerance and its boundary"),
        ({"boundary": ""}, "claim X1 must give the reason of its tolerance and its boundary"),
        ({"id": "T1"}, "claim T1 is registered twice"),
    ],
)
def test_a_record_that_proves_nothing_is_refused(toys, changes, message):
    known = list(toys)
    with pytest.raises(ValueError, match=message):
        claim(**{"id": "X1"} | RECORD | WORDS | changes)(half)
    assert list(toys) == known


def test_an_open_claim_needs_a_reason_and_has_no_run(toys):
    words = WORDS | {"source": "our statement", "chapter": "flow"}
    with pytest.raises(ValueError, match="claim X1 has neither a check nor a reason to be open"):
        open_claim(id="X1", **words)
    outcome = run("T4")
    assert (outcome.verdict, outcome.runs, outcome.measured) == (Verdict.OPEN, 0, None)
    assert lookup("T4").location == ""


def test_outside_its_hypotheses_a_claim_can_hold_but_not_fail(toys):
    never = {"a hypothesis that is not met": lambda instance: False}
    assert register(hypotheses=never).verdict is Verdict.OUTSIDE
    claim(id="X2", **RECORD | WORDS, hypotheses=never)(fail)
    assert run("X2").verdict is Verdict.OPEN
    assert run("X2").hypotheses == {"a hypothesis that is not met": False}


def test_hypotheses_must_hold_for_every_seed(toys):
    outcome = register(hypotheses={"seed below two": lambda seed: seed < 2}, seeds=(0, 1, 2))
    assert outcome.verdict is Verdict.OUTSIDE
    assert register_again(hypotheses={"seed below two": lambda seed: seed < 2}, seeds=(0, 1)) is Verdict.HOLDS


def register_again(**changes):
    claim(id="X2", **RECORD | WORDS | changes)(half)
    return run("X2").verdict


@pytest.mark.parametrize(
    ("quorum", "verdict"), [(None, Verdict.FAILS), (3, Verdict.FAILS), (2, Verdict.HOLDS)]
)
def test_a_quorum_says_how_many_seeds_must_agree(toys, quorum, verdict):
    outcome = register(lambda seed: Finding(float(seed > 0), 1.0), seeds=(0, 1, 2), quorum=quorum)
    assert (outcome.verdict, outcome.passed, outcome.runs) == (verdict, 2, 3)
    assert outcome.measured == 0.0  # the seed that disagrees is the one that is shown


def test_the_seed_closest_to_failing_is_shown(toys):
    outcome = register(lambda seed: Finding(0.5 + seed / 1000, 0.5), seeds=(1, 7, 3))
    assert outcome.measured == 0.507


@pytest.mark.parametrize(
    "exception",
    [ValueError("no"), RuntimeError("no"), ZeroDivisionError("no"), FileNotFoundError("no"), KeyError("no")],
)
def test_an_exception_is_a_failure_that_says_so(toys, exception):
    def check(seed):
        raise exception

    outcome = register(check)
    assert outcome.verdict is Verdict.FAILS
    assert outcome.error.startswith(type(exception).__name__)
    assert "no" in outcome.error


def test_an_interrupt_is_not_a_finding(toys):
    def check(seed):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        register(check)


def test_a_breakage_is_in_force_only_while_its_run_lasts(toys):
    register()
    assert run("X1", "twice as much").verdict is Verdict.FAILS
    assert run("X1").verdict is Verdict.HOLDS


def test_a_breakage_must_name_a_function_that_exists(toys):
    register(breakages=[Breakage("misspelt", {"tests.claims.toy.facter": lambda: 2.0})])
    with pytest.raises(AttributeError, match="facter"):
        run("X1", "misspelt")


def test_unknown_names_are_answered_with_the_known_ones(toys):
    with pytest.raises(KeyError, match="unknown claim 'C999': known are T1, T2"):
        run("C999")
    with pytest.raises(KeyError, match="claim T1 has no breakage 'none': it has twice as much"):
        run("T1", "none")


def test_claims_are_listed_by_number_whatever_the_order_of_registration(toys):
    for id in ("C10", "C9b", "C2", "C9"):
        claim(id=id, **RECORD | WORDS)(half)
    assert [id for id in toys if id.startswith("C")] == ["C2", "C9", "C9b", "C10"]


def test_the_location_of_a_check_is_its_file_and_line(toys):
    register()
    assert lookup("X1").location.startswith("tests/claims/toy.py:")
