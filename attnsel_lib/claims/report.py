"""The whole ledger: as a record for machines and as a table for the page."""

import html
import math

import attnsel_lib
from attnsel_lib.fingerprint import fingerprint

from .badge import SIGNS, failure, is_unexplained_failure, source_of_check, verdict_in_words
from .ledger import REGISTRY, Verdict, lookup, run
from .store import run_all
from .wording import expectation, hypotheses, rich, seeds, significant

SCHEMA = "ledger.schema.json"
COLUMNS = (
    ("Claim", "text"),
    ("Verdict", "text"),
    ("Statement", "text"),
    ("Chapter", "text"),
    ("Measured", "number"),
    ("Expected", "number"),
    ("Tolerance", "number"),
    ("Seeds", "number"),
    ("Hypotheses", "text"),
    ("Fails under", "text"),
    ("Seconds", "number"),
)


def detected(id):
    """Whether each breakage refutes a claim by its numbers, {name: bool}; an exception is no measurement."""
    injected = {b.name: run(id, b.name) for b in lookup(id).breakages}
    return {name: o.verdict is Verdict.FAILS and not o.error for name, o in injected.items()}


def record(outcomes, breakages=None):
    """The ledger as plain data, described by ``ledger.schema.json``.

    Parameters
    ----------
    outcomes : dict from id to Outcome, as `run_all` returns
    breakages : dict from id to what `detected` returns, optional

    Returns
    -------
    dict, ready for `json.dumps`; numbers that are not finite are None
    """
    found = breakages or {}
    return {
        "schema": SCHEMA,
        "library": attnsel_lib.__version__,
        "fingerprint": fingerprint(),
        "claims": [_claim(lookup(id), outcome, found.get(id, {})) for id, outcome in outcomes.items()],
    }


def unexplained_failures(outcomes):
    """Claims that fail without a recorded explanation, as lines "C2 fails: measured ...".

    Parameters
    ----------
    outcomes : dict from id to Outcome
    """
    failed = {id: o for id, o in outcomes.items() if is_unexplained_failure(lookup(id), o)}
    return [f"{id} fails: {failure(lookup(id), outcome)}" for id, outcome in failed.items()]


def ledger_table(outcomes=None):
    """Table of the claims for the book's page.

    Parameters
    ----------
    outcomes : dict from id to Outcome, optional; by default all claims, run or taken from the store

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    outcomes = run_all() if outcomes is None else outcomes
    heads = "".join(f'<th role="columnheader" data-kind="{kind}">{name}</th>' for name, kind in COLUMNS)
    rows = "".join(_row(lookup(id), outcome) for id, outcome in outcomes.items())
    return HTML(
        '<div class="ledger tex2jax_process" role="region" aria-label="Claims" tabindex="0">'
        f'<table role="table"><thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table></div>'
    )


def explained(reason):
    """Table of the claims that carry an explanation, for the book's page.

    Parameters
    ----------
    reason : "known" (recorded discrepancies) or "open_because" (open claims)

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    chosen = [id for id, entry in REGISTRY.items() if getattr(entry, reason)]
    rows = "".join(_explanation(lookup(id), o, reason) for id, o in run_all(ids=chosen).items())
    heads = "".join(f"<th>{name}</th>" for name in ("Claim", "Measured", "Expected", "Explanation"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return HTML(f'<div class="claims tex2jax_process">{table if rows else "<p>None at present.</p>"}</div>')


def _explanation(entry, outcome, reason):
    link = f'<a href="ledger.html#claim-{html.escape(entry.id)}">{html.escape(entry.id)}</a>'
    cells = (
        f"{link} {rich(entry.title)}",
        significant(outcome.measured),
        html.escape(expectation(outcome, entry.tolerance)),
        rich(getattr(entry, reason)),
    )
    return f"<tr>{''.join(f'<td>{shown}</td>' for shown in cells)}</tr>"


def _claim(entry, outcome, found):
    return {
        "id": entry.id,
        "title": entry.title,
        "statement": entry.statement,
        "source": entry.source,
        "chapter": entry.chapter,
        "check": entry.location,
        "verdict": str(outcome.verdict),
        "measured": _finite(outcome.measured),
        "expected": _finite(outcome.expected),
        "direction": outcome.direction,
        "tolerance": entry.tolerance,
        "why": entry.why,
        "boundary": entry.boundary,
        "hypotheses": dict(outcome.hypotheses),
        "seeds": list(entry.seeds) if entry.check else [],
        "passed": outcome.passed,
        "runs": outcome.runs,
        "quorum": (entry.quorum or len(entry.seeds)) if entry.check else 0,
        "seconds": round(outcome.seconds, 3),
        "breakages": [{"name": b.name, "detected": found.get(b.name)} for b in entry.breakages],
        "known": entry.known,
        "open_because": entry.open_because,
        "expensive": entry.expensive,
        "error": outcome.error,
    }


def _finite(number):
    return number if number is not None and math.isfinite(number) else None


def _row(entry, outcome):
    verdict = f"{SIGNS[outcome.verdict]} {verdict_in_words(entry, outcome)}"
    broken = "; ".join(breakage.name for breakage in entry.breakages)
    cells = (
        (f'<a href="#claim-{html.escape(entry.id)}">{html.escape(entry.id)}</a>', None),
        (f'<strong class="verdict">{verdict}</strong>', None),
        (_statement(entry, outcome), None),
        (f'<span data-page="{html.escape(entry.chapter)}">{html.escape(entry.chapter)}</span>', None),
        (significant(outcome.measured), outcome.measured),
        (html.escape(expectation(outcome, 0)), outcome.expected),
        (significant(entry.tolerance) if entry.check else "–", entry.tolerance if entry.check else None),
        (seeds(outcome).removesuffix("s").removesuffix(" seed"), outcome.passed if outcome.runs else None),
        (rich(hypotheses(outcome)) if outcome.runs else "–", None),
        (rich(broken) or "–", None),
        (f'<span class="seconds">{outcome.seconds:.1f} s</span>', None),
    )
    shown = "".join(_cell(name, *cell) for (name, _), cell in zip(COLUMNS, cells, strict=True))
    return (
        f'<tr role="row" id="claim-{html.escape(entry.id)}" data-verdict="{outcome.verdict.name.lower()}" '
        f'data-chapter="{html.escape(entry.chapter)}">{shown}</tr>'
    )


def _cell(name, shown, number):
    value = "" if _finite(number) is None else f' data-value="{number:.6g}"'
    return f'<td role="cell" data-head="{name}"{value}><span>{shown}</span></td>'


def _statement(entry, outcome):
    reasons = {
        "Tolerance": entry.why,
        "Not shown": entry.boundary,
        "Open because": entry.open_because,
        "Known discrepancy": entry.known,
        "Error": outcome.error,
        "Takes long because": entry.expensive,
        "Source": entry.source,
    }
    lines = [f"<p>{name}: {rich(text)}</p>" for name, text in reasons.items() if text]
    if entry.check:
        lines.append(f"<p>Check: {source_of_check(entry)}</p>")
    return f"{rich(entry.statement)}<details><summary>Details</summary>{''.join(lines)}</details>"
