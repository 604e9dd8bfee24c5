"""A ledger of toy claims with a folder of its own for the outcomes."""

from unittest import mock

import pytest

from attnsel_lib import claims

from . import toy


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNSEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def toys(cache):
    """Only the toy claims are registered."""
    with mock.patch.dict(claims.REGISTRY, clear=True):
        toy.register()
        yield claims.REGISTRY


@pytest.fixture
def marks(tmp_path, monkeypatch):
    """Folder in which each computation of T1 or T5 leaves a file."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("TOY_MARKS", str(folder))
    return folder
