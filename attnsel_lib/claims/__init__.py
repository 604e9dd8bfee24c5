"""The claim ledger: every statement of the book is a check that can fail."""

from .ledger import REGISTRY, Breakage, Claim, Finding, Outcome, Verdict, claim, lookup, open_claim, run
from .store import run_all, stored_run

__all__ = [
    "REGISTRY",
    "Breakage",
    "Claim",
    "Finding",
    "Outcome",
    "Verdict",
    "claim",
    "lookup",
    "open_claim",
    "run",
    "run_all",
    "stored_run",
]
