"""Commands ``attnsel figure`` and ``attnsel diff-figures``."""

import argparse


def add_commands(commands):
    """Add both to the subcommands of ``attnsel``; each sets `run`, which returns the exit status."""
    figure = commands.add_parser(
        "figure",
        help="make one figure of the book",
        description="Run the cells of a chapter that one figure needs, and write ID.png and ID.json, the "
        "picture and the numbers it shows.",
        epilog="Exit status: 0 made, 1 a cell failed, 2 unknown figure or no chapters here.",
    )
    figure.set_defaults(run=_figure)
    figure.add_argument("id", nargs="?", metavar="ID", help="name of the figure; none lists them all")
    figure.add_argument("--out", default=".", metavar="DIR", help="folder to write to (default: here)")
    figure.add_argument("--book", metavar="DIR", help="folder of the chapters (default: beside the library)")
    diff = commands.add_parser(
        "diff-figures",
        help="say what moved between the figures of two builds",
        description="Compare the numbers behind the figures of two built sites, or of two folders of arrays.",
        epilog="Exit status: 0 they agree, 1 something moved, 2 a folder without figures.",
    )
    diff.set_defaults(run=_diff)
    diff.add_argument("old", metavar="OLD")
    diff.add_argument("new", metavar="NEW")
    diff.add_argument(
        "--rtol",
        type=_tolerance,
        default=1e-6,
        metavar="R",
        help="movement allowed, relative to the largest number of a series (default: 1e-6)",
    )


def _figure(given):
    from nbclient.exceptions import CellExecutionError

    from attnsel_lib.cli import UsageError
    from attnsel_lib.figures.regenerate import book_folder, figure_names, regenerate

    try:
        if given.id is None:
            for name, chapter in figure_names(book_folder(given.book)).items():
                print(f"{name:28s}{chapter.stem}")
            return 0
        for path in regenerate(given.id, given.out, given.book):
            print(path)
    except (ValueError, FileNotFoundError) as error:
        raise UsageError(str(error)) from None
    except CellExecutionError as error:
        print(error)
        return 1
    return 0


def _diff(given):
    from attnsel_lib.cli import UsageError
    from attnsel_lib.figures.compare import moved

    try:
        found = moved(given.old, given.new, given.rtol)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from None
    print("\n".join(found) if found else "no figure moved")
    return int(bool(found))


def _tolerance(text):
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a finite number >= 0, got {text}")
    return value
