"""Importing the library is quick and loads nothing that only some functions need."""

import json
import subprocess
import sys

import pytest

HEAVY = {"datasets", "matplotlib", "pandas", "sklearn", "torch"}
SECONDS = 1.0  # promised to those who import the library from a notebook; alone, it takes a third of that
MEASURE = """
import json, sys, time
start = time.perf_counter()
import attnsel_lib, attnsel_lib.corpus, attnsel_lib.attention
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.fixture(scope="module")
def imports():
    """Seconds and top-level modules of three imports, each in a fresh process where a warning is an error."""
    command = [sys.executable, "-W", "error", "-c", MEASURE]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(3)]
    assert not any(run.stderr for run in runs)
    return [json.loads(run.stdout) for run in runs]


def test_nothing_heavy_is_loaded(imports):
    for _, modules in imports:
        assert {"attnsel_lib", "numpy", "scipy"} <= set(modules)
        assert not HEAVY & set(modules)


def test_it_takes_less_than_a_second(imports):
    assert min(seconds for seconds, _ in imports) < SECONDS
