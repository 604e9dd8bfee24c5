"""Make a bare ``pytest --nbval`` do the right thing from any folder, and keep its holes shut."""

from pathlib import Path

import nbformat
import pytest

from tools.notebooks import CELL_TIMEOUT, prepare_kernels, unusable

ROOT = Path(__file__).resolve().parent
NBVAL_DEFAULT_TIMEOUT = 2000


def pytest_addoption(parser):
    """Options of the site checks; they live here because only this file is read before the command line."""
    group = parser.getgroup("companion", "checks of the built site")
    group.addoption("--site", type=Path, help="check the built site in this folder (make check-site)")
    group.addoption("--screenshots", type=Path, help="with --site: write pictures of each page here")


def pytest_configure(config):
    """Share outcomes of claims with the book; fill in what nbval would take from the current folder."""
    prepare_kernels(ROOT)
    option = config.option
    if not (option.nbval or option.nbval_lax):
        return
    option.nbval_sanitize_with = option.nbval_sanitize_with or str(ROOT / "tests" / "nbval_sanitize.cfg")
    if option.nbval_kernel_name is None:
        option.nbval_current_env = True
    if option.nbval_cell_timeout == NBVAL_DEFAULT_TIMEOUT:
        option.nbval_cell_timeout = CELL_TIMEOUT


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Refuse a notebook without stored outputs: nbval would pass it without comparing anything."""
    collectors = yield
    if collectors and file_path.suffix == ".ipynb":
        reason = unusable(nbformat.read(file_path, as_version=4))
        if reason:
            raise parent.CollectError(f"{file_path.name} {reason}: run 'make sync'")
    return collectors


def pytest_ignore_collect(collection_path, config):
    """The site checks need a built site: they run only when --site names one."""
    if collection_path == ROOT / "tests" / "site" and config.option.site is None:
        return True
    return None
