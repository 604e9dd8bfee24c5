"""Outcomes shared between pages, tests and the command line, keyed by the library's fingerprint."""

import json
import os
from dataclasses import asdict
from pathlib import Path

from attnsel_lib.fingerprint import fingerprint

from .ledger import REGISTRY, Outcome, Verdict, run


def stored_run(id):
    """Outcome of a claim, computed at most once for one state of the library, packages and data.

    A lock per claim keeps two processes from computing the same one; a killed process leaves nothing
    behind but the lock file.

    Parameters
    ----------
    id : str

    Returns
    -------
    Outcome
    """
    from filelock import FileLock

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id}.json"
    with FileLock(folder / f"{id}.lock"):
        if path.exists():
            return _from_json(path.read_text("utf8"))
        outcome = run(id)
        unfinished = path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(asdict(outcome)), "utf8")
        os.replace(unfinished, path)
    return outcome


def run_all(chapter=None, progress=lambda outcome: None):
    """Outcomes of all claims, in the order of the ledger.

    Parameters
    ----------
    chapter : str, optional; only the claims of this page
    progress : called with each outcome as it arrives

    Returns
    -------
    dict from id to Outcome
    """
    outcomes = {}
    for id, entry in REGISTRY.items():
        if chapter in (None, entry.chapter):
            outcomes[id] = stored_run(id)
            progress(outcomes[id])
    return outcomes


def cache_folder():
    """Folder of the outcomes: ``$ATTNSEL_CACHE`` or the user's cache folder, by fingerprint."""
    import platformdirs

    root = os.environ.get("ATTNSEL_CACHE") or platformdirs.user_cache_path("attnsel")
    return Path(root) / "claims" / fingerprint()[:16]


def _from_json(text):
    record = json.loads(text)
    return Outcome(**{**record, "verdict": Verdict(record["verdict"])})
