"""The claim ledger: every statement of the book is a check that can fail."""

import importlib

from .badge import ClaimFailedError, badge
from .ledger import REGISTRY, Breakage, Claim, Finding, Outcome, Verdict, claim, lookup, open_claim, run
from .report import detected, explained, ledger_table, record, unexplained_failures
from .store import run_all, stored_run

__all__ = [
    "REGISTRY",
    "Breakage",
    "Claim",
    "ClaimFailedError",
    "Finding",
    "Outcome",
    "Verdict",
    "badge",
    "claim",
    "detected",
    "explained",
    "ledger_table",
    "lookup",
    "open_claim",
    "record",
    "run",
    "run_all",
    "stored_run",
    "unexplained_failures",
]

# Importing a module of claims registers them; REGISTRY sorts by number.
for _module in (
    "asymptotics",
    "co_occurrence",
    "competition",
    "flow",
    "imdb",
    "initial_size",
    "margin",
    "model",
    "one_step",
    "race",
    "selection",
    "training",
    "wrong_selections",
):
    importlib.import_module(f".{_module}", __name__)
