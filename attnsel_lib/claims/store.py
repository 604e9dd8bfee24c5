"""Outcomes shared between pages, tests and the command line, keyed by the library's fingerprint."""

import json
import os
from dataclasses import asdict
from pathlib import Path

from attnsel_lib.fingerprint import fingerprint

from .ledger import REGISTRY, Outcome, Verdict, lookup, run

# Taken when the library is imported: a file edited later is not the code that runs here.
_STATE = fingerprint()[:16]


def stored_run(id, fresh=False):
    """Outcome of a claim, computed at most once for one state of the library, packages and data.

    A lock per claim keeps two processes from computing the same one. A killed process leaves nothing
    behind that is read; a file that cannot be read is computed again; an outcome with an error is not kept,
    since memory or an interrupted download may be at fault.

    Parameters
    ----------
    id : str
    fresh : bool, compute even what is stored

    Returns
    -------
    Outcome

    Raises
    ------
    KeyError
        If the claim is unknown.
    """
    from filelock import FileLock

    lookup(id)
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id}.json"
    with FileLock(folder / f"{id}.lock"):
        outcome = None if fresh else _read(path)
        if outcome is None:
            outcome = run(id)
            if not outcome.error:
                _write(path, outcome)
    return outcome


def run_all(chapter=None, progress=lambda outcome: None, ids=None, fresh=False):
    """Outcomes of all claims, in the order of the ledger.

    Parameters
    ----------
    chapter : str, optional; only the claims of this page
    progress : called with each outcome as it arrives
    ids : iterable of str, optional; only these claims
    fresh : bool, compute even what is stored

    Returns
    -------
    dict from id to Outcome

    Raises
    ------
    KeyError
        If one of the ids is unknown; nothing is computed then.
    """
    chosen = {lookup(id).id for id in (REGISTRY if ids is None else ids)}
    outcomes = {}
    for id, entry in REGISTRY.items():
        if id in chosen and chapter in (None, entry.chapter):
            outcomes[id] = stored_run(id, fresh)
            progress(outcomes[id])
    return outcomes


def cache_folder():
    """Folder of the outcomes: ``$ATTNSEL_CACHE`` or the user's cache folder, by fingerprint."""
    import platformdirs

    root = os.environ.get("ATTNSEL_CACHE") or platformdirs.user_cache_path("attnsel")
    return Path(root) / "claims" / _STATE


def _read(path):
    """The stored outcome; None if there is none that can be read."""
    try:
        record = json.loads(path.read_text("utf8"))
        return Outcome(**{**record, "verdict": Verdict(record["verdict"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path, outcome):
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(asdict(outcome)), "utf8")
    os.replace(unfinished, path)
