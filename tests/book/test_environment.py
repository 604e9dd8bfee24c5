"""pyproject.toml, requirements.lock and environment.yml name the same environment."""

import itertools
import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from attnsel_lib.fingerprint import PACKAGES

ROOT = Path(__file__).resolve().parents[2]


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]


def extras():
    return project()["optional-dependencies"]


def requirements(*names):
    named = [extras()[name] for name in names]
    return [Requirement(text) for text in itertools.chain(project()["dependencies"], *named)]


def lock():
    lines = (ROOT / "requirements.lock").read_text("utf8").splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def conda():
    return yaml.safe_load((ROOT / "environment.yml").read_text("utf8"))["dependencies"]


def test_lock_satisfies_the_ranges_of_pyproject():
    for requirement in requirements(*extras()):
        assert requirement.specifier.contains(lock()[canonicalize_name(requirement.name)]), requirement


def test_lock_holds_exact_public_versions_only():
    for name, version in lock().items():
        assert Version(version).local is None, name
    assert {"pip", "setuptools", "wheel"} <= set(lock())
    assert "attnsel-lib" not in lock()


def test_environment_has_the_direct_pins_of_the_lock():
    pins = [line for line in conda()[-1]["pip"] if not line.startswith("-")]
    names = {canonicalize_name(requirement.name) for requirement in requirements(*extras())}
    assert pins == [f"{name}=={lock()[name]}" for name in sorted(names)]
    assert "--constraint requirements.lock" in conda()[-1]["pip"]
    assert "--editable ." in conda()[-1]["pip"]


def test_environment_s_python_is_one_that_pyproject_allows():
    pinned = next(item for item in conda() if item.startswith("python="))
    assert Requirement(f"python{project()['requires-python']}").specifier.contains(pinned.partition("=")[2])


def test_fingerprint_covers_every_runtime_dependency():
    names = {canonicalize_name(Requirement(text).name) for text in project()["dependencies"]}
    names |= {
        canonicalize_name(Requirement(text).name) for text in project()["optional-dependencies"]["data"]
    }
    assert names == set(PACKAGES)


def test_jupyter_book_is_never_named_without_its_upper_bound():
    mentions = []
    for path in (
        ROOT / "pyproject.toml",
        ROOT / "requirements.lock",
        *ROOT.glob("*.md"),
        *ROOT.glob("*.yml"),
    ):
        text = path.read_text("utf8")
        mentions += re.findall(r"jupyter-book *([<>=!~][^\"'`\s]*)", text)
        assert not re.search(r"pip install [^\n]*jupyter-book(?![<>=])", text), path
    assert mentions
    assert all("<2" in mention or mention.startswith("==1.") for mention in mentions), mentions
