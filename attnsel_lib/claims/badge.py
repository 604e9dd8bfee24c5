"""The badge under a statement: does it hold, and how was that measured."""

import html
from dataclasses import dataclass

from .ledger import Claim, Outcome, Verdict, lookup
from .store import stored_run
from .wording import expectation, hypotheses, rich, seeds, significant

SIGNS = {Verdict.HOLDS: "✓", Verdict.OUTSIDE: "✓", Verdict.FAILS: "✗", Verdict.OPEN: "?"}


class ClaimFailedError(RuntimeError):
    """A claim of the book fails and is not recorded as a known discrepancy."""


@dataclass(frozen=True)
class Badge:
    """A claim with its outcome, shown as HTML in a notebook and as lines of text elsewhere."""

    entry: Claim
    outcome: Outcome

    def __repr__(self):
        """Two or three lines of text."""
        entry, outcome = self.entry, self.outcome
        lines = [f"{entry.id} {verdict_in_words(entry, outcome)}: {entry.title}"]
        if entry.check is None:
            return f"{lines[0]}\n  open because {entry.open_because}"
        lines.append(f"  {measurement(entry, outcome)}")
        lines.append(f"  tolerance: {entry.why}; check: {entry.location}")
        return "\n".join(lines)

    def _repr_html_(self):
        entry, outcome = self.entry, self.outcome
        head = (
            f'<a href="ledger.html#claim-{html.escape(entry.id)}" title="Row of the claim ledger">'
            f"{html.escape(entry.id)}</a> "
            f'<strong class="verdict">{SIGNS[outcome.verdict]} '
            f"{verdict_in_words(entry, outcome)}</strong> "
        )
        shown = rich(entry.title) if entry.check is None else html.escape(measurement(entry, outcome))
        return (
            f'<div class="claim tex2jax_process" data-verdict="{outcome.verdict.name.lower()}">'
            f"<p>{head}<span>{shown}</span></p>"
            f"<details><summary>How claim {html.escape(entry.id)} is checked</summary>"
            f"<dl>{''.join(terms(entry, outcome))}</dl></details></div>"
        )


def badge(id):
    """Badge of a claim for the page that states it.

    Parameters
    ----------
    id : str, e.g. "C2"

    Returns
    -------
    Badge

    Raises
    ------
    KeyError
        If the claim is unknown.
    ClaimFailedError
        If it fails and no explanation is recorded: the page then fails, and with it the build.
    """
    entry, outcome = lookup(id), stored_run(id)
    if is_unexplained_failure(entry, outcome):
        raise ClaimFailedError(f"claim {id} fails: {failure(entry, outcome)}")
    return Badge(entry, outcome)


def is_unexplained_failure(entry, outcome):
    """Whether a claim fails without being recorded as a known discrepancy."""
    return outcome.verdict is Verdict.FAILS and not entry.known


def failure(entry, outcome):
    """One line on why a claim fails."""
    return outcome.error or measurement(entry, outcome)


def verdict_in_words(entry, outcome):
    """The verdict; a recorded failure says that it is known."""
    known = outcome.verdict is Verdict.FAILS and entry.known
    return f"{outcome.verdict} (known discrepancy)" if known else str(outcome.verdict)


def measurement(entry, outcome):
    """Measured against expected and the seeds, "measured 0.4998, expected = 0.5 ± 0.1; 3/3 seeds"."""
    if outcome.error:
        return outcome.error
    return (
        f"measured {significant(outcome.measured)}, expected {expectation(outcome, entry.tolerance)}; "
        f"{seeds(outcome)}"
    )


def terms(entry, outcome):
    """Terms of the folded part, as HTML."""
    yield term("Statement", rich(entry.statement))
    if entry.check is None:
        yield term("Open because", rich(entry.open_because))
        return
    yield term("Tolerance", f"{significant(entry.tolerance)}: {rich(entry.why)}")
    yield term("Hypotheses", rich(hypotheses(outcome)))
    yield term("Not shown", rich(entry.boundary))
    if entry.known:
        yield term("Known discrepancy", rich(entry.known))
    yield term("Source", rich(entry.source))
    yield term("Check", source_of_check(entry))


def term(name, shown):
    """One entry of a description list."""
    return f"<dt>{name}</dt><dd>{shown}</dd>"


def source_of_check(entry):
    """File and line of the check; the book turns them into a link where it has the source."""
    module = entry.check.__module__ if entry.check else ""
    return f'<code data-module="{html.escape(module)}">{html.escape(entry.location)}</code>'
