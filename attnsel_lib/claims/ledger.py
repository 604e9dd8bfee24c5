"""What a claim is and how it is run: a statement of the book as a check that can fail.

A claim is a function of a seed that computes something on an instance and returns a `Finding`. Its
record says where the statement comes from, which hypotheses are checked on the instance, how far measured
and expected may differ and why, what the check does not show, and by which *breakages* it must fail.
A breakage replaces a function of the library by a wrong one while the claim runs.
"""

import enum
import inspect
import re
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from unittest import mock

REGISTRY = {}


class Verdict(enum.StrEnum):
    """Outcome of a claim."""

    HOLDS = "holds"
    OUTSIDE = "holds outside its hypotheses"
    FAILS = "fails"
    OPEN = "open"


@dataclass(frozen=True)
class Finding:
    """What one run of a claim measured.

    measured, expected : float
    direction : "equal" (|measured - expected| <= tolerance), "at most" (measured <= expected +
        tolerance) or "at least" (measured >= expected - tolerance)
    instance : what the hypotheses are evaluated on
    """

    measured: float
    expected: float
    direction: str = "equal"
    instance: object = None

    def within(self, tolerance):
        """Whether measured and expected agree; a NaN never does."""
        difference = self.measured - self.expected
        signed = {"equal": abs(difference), "at most": difference, "at least": -difference}
        if self.direction not in signed:
            raise ValueError(f"direction must be one of {', '.join(signed)}, got {self.direction!r}")
        return bool(signed[self.direction] <= tolerance)


@dataclass(frozen=True)
class Breakage:
    """A wrong alternative injected into the computation.

    name : short, in words
    patches : dotted name of a library function -> its replacement
    """

    name: str
    patches: Mapping[str, Callable]

    def applied(self):
        """Context in which the replacements are in force."""
        stack = ExitStack()
        for target, replacement in self.patches.items():
            stack.enter_context(mock.patch(target, replacement))
        return stack


@dataclass(frozen=True)
class Claim:
    """A statement of the book with the check that can refute it; made by the decorator `claim`.

    id : "C1" ...;  title : a few words;  statement : the claim in one sentence, TeX between $
    source : where the statement comes from;  chapter : page of the book, e.g. "one_step"
    hypotheses : name -> predicate of the instance
    tolerance, why : allowed difference and its reason
    boundary : what the check does not show
    breakages : wrong alternatives under which the claim must fail
    seeds : one run each;  quorum : runs that must agree (all, unless the statement is about most)
    known : explanation of a recorded discrepancy; a claim with one may fail
    open_because : reason why the claim is registered but not settled; it then has no check
    expensive : reason, for claims that take more than ten seconds
    """

    id: str
    title: str
    statement: str
    source: str
    chapter: str
    check: Callable | None
    hypotheses: Mapping[str, Callable] = field(default_factory=dict)
    tolerance: float = 0.0
    why: str = ""
    boundary: str = ""
    breakages: tuple[Breakage, ...] = ()
    seeds: tuple[int, ...] = (0,)
    quorum: int | None = None
    known: str = ""
    open_because: str = ""
    expensive: str = ""

    def __post_init__(self):
        """Refuse a record that proves nothing."""
        if self.check is None and not self.open_because:
            raise ValueError(f"claim {self.id} has neither a check nor a reason to be open")
        if self.check is not None and not self.breakages:
            raise ValueError(f"claim {self.id} has no breakage: a check that nothing can fail proves nothing")
        if self.check is not None and not (self.why and self.boundary):
            raise ValueError(f"claim {self.id} must give the reason of its tolerance and its boundary")

    @property
    def location(self):
        """File and line of the check, as "attnsel_lib/claims/margin.py:42"."""
        if self.check is None:
            return ""
        module = inspect.getmodule(self.check).__name__.replace(".", "/")
        return f"{module}.py:{inspect.getsourcelines(self.check)[1]}"


@dataclass(frozen=True)
class Outcome:
    """A claim that was run.

    verdict : Verdict
    measured, expected : float, of the seed that came closest to failing (or failed); None when open
    direction : "equal", "at most" or "at least"
    passed, runs : seeds that agreed, and seeds in all
    hypotheses : name -> whether it held on every instance
    seconds : float, wall time of all seeds
    error : message of an exception the check raised, or ""
    """

    id: str
    verdict: Verdict
    measured: float | None = None
    expected: float | None = None
    direction: str = ""
    passed: int = 0
    runs: int = 0
    hypotheses: Mapping[str, bool] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""


def claim(**record):
    """Register a function of a seed that returns a `Finding`; the keywords are the fields of `Claim`.

    Raises
    ------
    ValueError
        If the id is taken, or the record proves nothing.
    """

    def register(check):
        _add(Claim(check=check, **record))
        return check

    return register


def open_claim(**record):
    """Register a statement that is not settled; `open_because` says why."""
    _add(Claim(check=None, **record))


def run(id, breakage=None):
    """Run one claim, with a breakage in force if one is named.

    Parameters
    ----------
    id : str, e.g. "C12"
    breakage : str, optional, the name of one of its breakages

    Returns
    -------
    Outcome

    Raises
    ------
    KeyError
        If the claim or the breakage is unknown; the message lists the known ones.
    """
    entry = lookup(id)
    if entry.check is None:
        return Outcome(id, Verdict.OPEN)
    if breakage is None:
        return _run(entry)
    named = {b.name: b for b in entry.breakages}
    if breakage not in named:
        raise KeyError(f"claim {id} has no breakage {breakage!r}: it has {', '.join(named)}")
    with named[breakage].applied():
        return _run(entry)


def lookup(id):
    """The record of a claim; KeyError with the known ids otherwise."""
    if id not in REGISTRY:
        raise KeyError(f"unknown claim {id!r}: known are {', '.join(REGISTRY)}")
    return REGISTRY[id]


def _add(entry):
    if entry.id in REGISTRY:
        raise ValueError(f"claim {entry.id} is registered twice")
    later = [id for id in REGISTRY if _position(id) > _position(entry.id)]
    REGISTRY[entry.id] = entry
    for id in later:  # keep the order of the numbers, whichever module is imported first
        REGISTRY[id] = REGISTRY.pop(id)


def _position(id):
    """Letter, number and suffix of an id, so that C9, C9b and C10 sort in this order."""
    letter, number, suffix = re.fullmatch(r"(\D*)(\d*)(.*)", id).groups()
    return letter, int(number or 0), suffix


def _run(entry):
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    try:
        # The matrices are small: threads of BLAS would wait for each other, four times longer on two cores.
        with threadpool_limits(1, user_api="blas"):
            findings = [entry.check(seed) for seed in entry.seeds]
        return _judge(entry, findings, time.perf_counter() - start)
    except Exception as exception:  # whatever it is, the ledger lists it and goes on to the next claim
        error = f"{type(exception).__name__}: {exception}"
    seconds = time.perf_counter() - start
    return Outcome(entry.id, Verdict.FAILS, runs=len(entry.seeds), seconds=seconds, error=error)


def _judge(entry, findings, seconds):
    passes = [finding.within(entry.tolerance) for finding in findings]
    hypotheses = {
        name: all(bool(holds(finding.instance)) for finding in findings)
        for name, holds in entry.hypotheses.items()
    }
    worst = max(findings, key=lambda finding: _strain(finding, entry.tolerance))
    verdict = _verdict(sum(passes) >= (entry.quorum or len(findings)), all(hypotheses.values()))
    return Outcome(
        entry.id,
        verdict,
        float(worst.measured),
        float(worst.expected),
        worst.direction,
        sum(passes),
        len(findings),
        hypotheses,
        seconds,
    )


def _strain(finding, tolerance):
    """How close a finding is to failing; a failed one sorts last."""
    difference = finding.measured - finding.expected
    size = {"equal": abs(difference), "at most": difference, "at least": -difference}[finding.direction]
    return (not finding.within(tolerance), float("inf") if size != size else size)


def _verdict(agrees, within_hypotheses):
    """A failure outside the hypotheses says nothing of the claim: open."""
    if agrees:
        return Verdict.HOLDS if within_hypotheses else Verdict.OUTSIDE
    return Verdict.FAILS if within_hypotheses else Verdict.OPEN
