"""The command line: a table or JSON, exit statuses, and manners when interrupted or piped."""

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from attnsel_lib import cli

from .test_report import SCHEMA
from .test_store import ROOT, runs, wait_for

SCRIPT = """
import sys
from attnsel_lib import claims, cli
from tests.claims import toy
claims.REGISTRY.clear()
toy.register()
sys.exit(cli.main())
"""


def start(*arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "claims", *arguments], cwd=ROOT, env=os.environ.copy(), **options
    )


@pytest.mark.usefixtures("toys")
def test_table_and_exit_status(capsys):
    assert cli.main(["claims", "--id", "T1", "T3", "T4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "claim",
        "verdict",
        "measured",
        "expected",
        "seeds",
        "time",
        "chapter",
        "title",
    ]
    assert lines[1].startswith("T1     holds ")
    assert "= 0.5 ± 0.01" in lines[1]
    assert lines[-1] == "3 claims: 1 holds, 1 fails, 1 open"
    assert cli.main(["claims"]) == 1
    captured = capsys.readouterr()
    assert "T5: RuntimeError: no convergence <here>" in captured.out
    assert captured.err == ""


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["--chapter", "margin"], ["T4"]),
        (["--part", "I", "--id", "T6", "T1"], ["T1", "T6"]),
        (["--part", "II"], []),
        (["--id", "T1", "--chapter", "margin"], []),
    ],
)
def test_choice_of_claims(arguments, ids, capsys):
    assert cli.main(["claims", "--json", *arguments]) == 0
    ledger = json.loads(capsys.readouterr().out)
    jsonschema.validate(ledger, SCHEMA)
    assert [entry["id"] for entry in ledger["claims"]] == ids


@pytest.mark.usefixtures("toys")
def test_fresh_ignores_what_is_stored(marks, capsys):
    for arguments, expected in (([], 1), ([], 1), (["--fresh"], 2)):
        assert cli.main(["claims", "--id", "T1", *arguments]) == 0
        assert runs(marks) == expected


@pytest.mark.usefixtures("toys")
def test_breakages_are_run_and_an_unnoticed_one_is_an_error(capsys, monkeypatch):
    assert cli.main(["claims", "--id", "T1", "--breakages"]) == 0
    assert "T1 fails, as it must, under: twice as much" in capsys.readouterr().out
    assert cli.main(["claims", "--id", "T1", "--breakages", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["claims"][0]["breakages"]
    assert found == [{"name": "twice as much", "detected": True}]
    monkeypatch.setattr("tests.claims.toy.half", lambda seed: cli_finding())
    assert cli.main(["claims", "--id", "T1", "--breakages"]) == 1
    assert "T1 DOES NOT NOTICE under: twice as much" in capsys.readouterr().out


def cli_finding():
    from attnsel_lib.claims import Finding

    return Finding(0.5, 0.5)


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "T1", "T9"], "attnsel: unknown claim 'T9': known are T1, T2, T3, T4, T5, T6\n"),
        (
            ["--chapter", "nowhere"],
            "attnsel: no claims in chapter 'nowhere': known are flow, margin, one_step\n",
        ),
    ],
)
def test_unknown_names_are_one_line(arguments, message, capsys, marks):
    assert cli.main(["claims", *arguments]) == 2
    assert capsys.readouterr() == ("", message)
    assert runs(marks) == 0


def test_interrupt_leaves_nothing_half_written(marks, cache, monkeypatch):
    monkeypatch.setenv("TOY_SECONDS", "60")
    process = start("--id", "T3", "T6", "T1", "--json")
    wait_for(lambda: runs(marks) == 1)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    assert error == "attnsel: interrupted; finished claims are kept\n"
    assert list(cache.rglob("*.tmp")) == []
    assert list(cache.rglob("T1.json")) == []


@pytest.mark.usefixtures("cache")
def test_broken_pipe_is_quiet():
    reading, writing = os.pipe()
    os.close(reading)
    process = start("--id", "T1", stdout=writing)
    os.close(writing)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 141
    assert error == ""


@pytest.mark.usefixtures("cache")
def test_progress_on_a_terminal_only():
    shown, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    os.set_blocking(shown, False)
    process = start("--id", "T1", "T6", stderr=terminal)
    output, _ = process.communicate(timeout=60)
    assert b"claims" in os.read(shown, 4096)  # before the terminal is closed: its buffer goes with it
    os.close(terminal)
    os.close(shown)
    assert process.returncode == 0
    assert "2 claims" in output
    process = start("--id", "T1", "T6", "--fresh")
    assert process.communicate(timeout=60)[1] == ""


def test_help_names_every_option_and_imports_no_numbers():
    code = (
        "import sys\nfrom attnsel_lib import cli\n"
        "try:\n    cli.main(['claims', '--help'])\n"
        "finally:\n    print(sorted({'numpy', 'scipy', 'torch', 'tqdm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for option in ("--id", "--chapter", "--part", "--fresh", "--breakages", "--json"):
        assert option in done.stdout


def test_entry_points_agree():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]["scripts"]
    assert scripts == {"attnsel": "attnsel_lib.cli:main"}
    commands = [[sys.executable, "-m", "attnsel_lib"], [Path(sys.executable).with_name("attnsel")]]
    versions = {subprocess.check_output([*command, "--version"], text=True) for command in commands}
    assert len(versions) == 1


def test_parts_are_those_of_the_book():
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text("utf8"))
    for part in toc["parts"]:
        name = part["caption"].split(" ·")[0].removeprefix("Part ")
        pages = [chapter["file"] for chapter in part["chapters"]]
        if name in cli.PARTS:
            assert set(pages) <= set(cli.PARTS[name])
        else:
            assert not set(pages) & {page for pages in cli.PARTS.values() for page in pages}
