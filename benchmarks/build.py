"""Measure a build of the whole book: from nothing executed, then again with nothing changed.

python benchmarks/build.py    writes benchmarks/results/build.json, which the status page shows

Both builds are the plain `jupyter-book build` into a temporary folder. Memory is the largest sum of resident
memory over the build and all its kernels at one moment, sampled ten times a second; memory shared between
processes counts once for each, so the figure is an upper bound.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

import attnsel_lib

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "build.json"
INTERVAL = 0.1  # seconds between two samples of memory
GIB = 2**30


def tree_memory(process):
    """Resident bytes of a process and all its descendants."""
    total = 0
    for member in (process, *process.children(recursive=True)):
        try:
            total += member.memory_info().rss
        except psutil.NoSuchProcess:
            continue  # it ended between the listing and the reading
    return total


def timed_build(output):
    """Build into a folder; seconds and peak bytes."""
    command = [Path(sys.executable).parent / "jupyter-book", "build", ROOT / "book", "--path-output", output]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start, peak = time.perf_counter(), 0
    with psutil.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        while process.poll() is None:
            peak = max(peak, tree_memory(process))
            time.sleep(INTERVAL)
    if process.returncode:
        raise SystemExit(f"the build failed with exit status {process.returncode}")
    return time.perf_counter() - start, peak


def measure():
    """Record of a cold build and of a rebuild."""
    with tempfile.TemporaryDirectory() as output:
        cold, cold_peak = timed_build(output)
        again, again_peak = timed_build(output)
        complete = json.loads((Path(output) / "_build" / "html" / "complete.json").read_text("utf8"))
    return {
        "cold_seconds": round(cold, 1),
        "rebuild_seconds": round(again, 1),
        "peak_memory_gib": round(max(cold_peak, again_peak) / GIB, 2),
        "pages": len(complete["pages"]),
        "processors": len(psutil.Process().cpu_affinity()) if sys.platform == "linux" else os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "library": attnsel_lib.__version__,
        "date": datetime.date.today().isoformat(),
    }


def main():
    """Measure, store and show."""
    record = json.dumps(measure(), indent=1)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(record + "\n", "utf8")
    print(record)


if __name__ == "__main__":
    main()
