"""Outcomes are computed once for one state of the library, and a stored one is never wrong."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnsel_lib import claims
from attnsel_lib.claims.store import cache_folder

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
from attnsel_lib import claims
from tests.claims import toy
claims.REGISTRY.clear()
toy.register()
print(claims.stored_run("T1").measured)
"""


def start(root=ROOT, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)} | environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output.strip()


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


def runs(marks):
    return len(list(marks.iterdir()))


@pytest.mark.usefixtures("toys")
def test_second_run_computes_nothing_and_is_equal(marks):
    first, second = claims.stored_run("T1"), claims.stored_run("T1")
    assert first == second
    assert second.verdict is claims.Verdict.HOLDS
    assert runs(marks) == 1
    assert claims.stored_run("T1", fresh=True).measured == first.measured
    assert runs(marks) == 2


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"verdict": "perhaps"}', '{"id": "T1"}', "\xff"])
def test_unreadable_outcome_is_computed_again(marks, content):
    outcome = claims.stored_run("T1")
    (cache_folder() / "T1.json").write_text(content, "latin1")
    assert claims.stored_run("T1").measured == outcome.measured
    assert claims.stored_run("T1").measured == outcome.measured
    assert runs(marks) == 2


@pytest.mark.usefixtures("toys")
def test_outcome_with_an_error_is_not_kept(marks):
    assert claims.stored_run("T5").error == "RuntimeError: no convergence <here>"
    claims.stored_run("T5")
    assert runs(marks) == 2


@pytest.mark.usefixtures("toys")
def test_unknown_claim_computes_nothing(marks):
    with pytest.raises(KeyError, match="unknown claim 'T9': known are T1, T2"):
        claims.run_all(ids=["T1", "T9"])
    assert runs(marks) == 0


@pytest.mark.usefixtures("toys")
def test_run_all_can_be_restricted():
    assert list(claims.run_all(ids=["T6", "T1"])) == ["T1", "T6"]
    assert list(claims.run_all(chapter="margin")) == ["T4"]


@pytest.mark.usefixtures("cache")
def test_change_of_the_library_computes_again(marks, tmp_path):
    copy = tmp_path / "copy"
    for name in ("attnsel_lib", "tests/claims"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "tests" / "__init__.py").touch()
    for _ in range(2):
        assert finish(start(copy)) == "0.5"
        assert runs(marks) == 1
    with (copy / "attnsel_lib" / "attention" / "model.py").open("a") as file:
        file.write("# changed\n")
    assert finish(start(copy)) == "0.5"
    assert runs(marks) == 2


@pytest.mark.usefixtures("cache")
def test_two_processes_compute_once(marks):
    processes = [start(TOY_SECONDS="1"), start(TOY_SECONDS="1")]
    assert [finish(process) for process in processes] == ["0.5", "0.5"]
    assert runs(marks) == 1


def test_killed_computation_leaves_nothing_that_is_read(marks, cache):
    process = start(TOY_SECONDS="60")
    wait_for(lambda: runs(marks) == 1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert list(cache.rglob("*.json")) == []
    assert finish(start()) == "0.5"
    assert runs(marks) == 2
    assert [path.name for path in cache.rglob("T1.*") if path.suffix == ".tmp"] == []


@pytest.mark.usefixtures("cache")
def test_file_edited_after_the_import_is_not_taken_for_the_running_code(monkeypatch):
    before = cache_folder()
    monkeypatch.setattr("attnsel_lib.fingerprint._sources", lambda: iter([b"edited"]))
    assert cache_folder() == before
