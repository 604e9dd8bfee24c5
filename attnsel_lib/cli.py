"""Command line ``attnsel``: one subcommand per function here; heavy imports inside them."""

import argparse
import contextlib
import json
import os
import sys

import attnsel_lib
from attnsel_lib import cli_figures

# Pages of the book by part, as book/_toc.yml groups them, including pages that are still to come.
PARTS = {
    "I": ("model", "one_step", "flow", "margin", "when_it_fails"),
    "II": ("imdb", "yelp", "deep", "your_corpus"),
    "III": ("clustering_risk", "clustering_descent", "clustering_quantizer", "clustering_in_context"),
    "IV": ("autoencoder_limits", "autoencoder_sparse", "autoencoder_depth"),
}
INTERRUPTED, BROKEN_PIPE = 130, 141  # 128 and the signal's number, as shells report them


class UsageError(Exception):
    """What the user asked for does not exist; one line."""


def main(arguments=None):
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : list of str, optional; by default those of the process

    Returns
    -------
    int
        0; 1 when a claim fails; 2 when something unknown was asked for; 130 after Ctrl-C; 141 when the
        reader of the output went away.
    """
    given = parser().parse_args(arguments)
    try:
        status = given.run(given)
        sys.stdout.flush()
    except UsageError as error:
        print(f"attnsel: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return _broken_pipe()
    except OSError as error:
        print(f"attnsel: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("attnsel: interrupted; finished claims are kept", file=sys.stderr)
        return INTERRUPTED
    return status


def _broken_pipe():
    """Python flushes stdout once more when it exits: let that go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def parser():
    """Every subcommand sets `run`, a function of the parsed arguments that returns the exit status."""
    top = argparse.ArgumentParser(prog="attnsel", description=attnsel_lib.__doc__.splitlines()[0])
    top.add_argument("--version", action="version", version=f"attnsel {attnsel_lib.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_claims(commands)
    cli_figures.add_commands(commands)
    return top


def _add_claims(commands):
    command = commands.add_parser(
        "claims",
        help="check the statements of the book",
        description="Check the statements of the book and print a table. Outcomes are kept, and computed "
        "again only when the library, its packages or the data change.",
        epilog="Exit status: 0 all hold, 1 a claim fails without a recorded explanation or does not notice a "
        "breakage, 2 unknown claim, 130 interrupted. Outcomes are kept in $ATTNSEL_CACHE, or else in the "
        "user's cache folder.",
    )
    command.set_defaults(run=_claims)
    command.add_argument("--id", nargs="+", metavar="ID", help="only these claims, e.g. --id C2 C3")
    command.add_argument("--chapter", metavar="PAGE", help="only the claims of one page, e.g. one_step")
    command.add_argument("--part", choices=PARTS, help="only the claims of one part of the book")
    command.add_argument("--fresh", action="store_true", help="compute even what is stored")
    command.add_argument("--breakages", action="store_true", help="also run every breakage of each claim")
    command.add_argument("--json", action="store_true", help="print the record of ledger.json instead")


def _claims(given):
    from attnsel_lib import claims

    ids = _chosen(given, claims.REGISTRY)
    with _progress(len(ids), "claims") as step:
        outcomes = claims.run_all(ids=ids, fresh=given.fresh, progress=step)
    found = _breakages(ids) if given.breakages else {}
    if given.json:
        print(json.dumps(claims.record(outcomes, found), indent=1, allow_nan=False))
    else:
        print(_table(outcomes, found))
    missed = [id for id, detected in found.items() if not all(detected.values())]
    return int(bool(missed or claims.unexplained_failures(outcomes)))


def _chosen(given, registry):
    for id in given.id or ():
        if id not in registry:
            raise UsageError(f"unknown claim {id!r}: known are {', '.join(registry)}")
    chapters = {entry.chapter for entry in registry.values()}
    if given.chapter and given.chapter not in chapters:
        raise UsageError(f"no claims in chapter {given.chapter!r}: known are {', '.join(sorted(chapters))}")
    return [
        id
        for id, entry in registry.items()
        if (not given.id or id in given.id)
        and given.chapter in (None, entry.chapter)
        and (not given.part or entry.chapter in PARTS[given.part])
    ]


def _breakages(ids):
    from attnsel_lib import claims

    found = {}
    with _progress(len(ids), "breakages") as step:
        for id in ids:
            found[id] = claims.detected(id)
            step()
    return found


@contextlib.contextmanager
def _progress(total, what):
    """A bar on a terminal, nothing elsewhere; gives a function to call after each item."""
    from tqdm import tqdm

    # disable=None: tqdm asks whether stderr is a terminal
    with tqdm(total=total, desc=what, file=sys.stderr, disable=None, leave=False) as bar:
        yield lambda outcome=None: bar.update()


def _table(outcomes, found):
    from attnsel_lib import claims
    from attnsel_lib.claims.badge import verdict_in_words
    from attnsel_lib.claims.wording import expectation, seeds, significant

    rows = [("claim", "verdict", "measured", "expected", "seeds", "time", "chapter", "title")]
    for id, outcome in outcomes.items():
        entry = claims.lookup(id)
        numbers = significant(outcome.measured), expectation(outcome, entry.tolerance), seeds(outcome)
        time = f"{outcome.seconds:.1f} s"
        rows.append((id, verdict_in_words(entry, outcome), *numbers, time, entry.chapter, entry.title))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, *_remarks(outcomes, found), _summary(outcomes)])


def _remarks(outcomes, found):
    yield ""
    for id, outcome in outcomes.items():
        if outcome.error:
            yield f"{id}: {outcome.error}"
    for id, detected in found.items():
        for name, noticed in detected.items():
            yield f"{id} {'fails, as it must,' if noticed else 'DOES NOT NOTICE'} under: {name}"


def _summary(outcomes):
    verdicts = [str(outcome.verdict) for outcome in outcomes.values()]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    return f"{len(outcomes)} claims: {counts or 'none here'}"
