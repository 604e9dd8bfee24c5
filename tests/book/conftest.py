"""A small book in a temporary folder, built by the project's own extension and configuration."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_CACHES = shutil.ignore_patterns("__pycache__")
HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""


class SmallBook:
    """One page, `page.md`, and the commands that work on it."""

    def __init__(self, root):
        self.root, self.book = root, root / "book"
        self.library = root / "attnsel_lib"
        self.site = self.book / "_build" / "html"
        for name in ("_ext", "_static"):
            shutil.copytree(
                ROOT / "book" / name, self.book / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in ("_config.yml", "references.bib"):
            shutil.copy(ROOT / "book" / name, self.book)
        (self.book / "_toc.yml").write_text("format: jb-book\nroot: page\n")

    def copy_library(self):
        """Give this book a library of its own, which its builds import instead of the project's."""
        shutil.copytree(ROOT / "attnsel_lib", self.library, ignore=NO_CACHES)

    def write(self, *cells, text="Text."):
        """Write the page: a sentence and code cells."""
        code = "".join(f"```{{code-cell}} ipython3\n{cell}\n```\n\n" for cell in cells)
        (self.book / "page.md").write_text(f"{HEADER}# A page\n\n{text}\n\n{code}")

    def command(self, *arguments, **options):
        """Start one of the environment's commands in the book's root."""
        environment = os.environ | {"PYTHONPATH": str(self.root), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [Path(sys.executable).parent / arguments[0], *arguments[1:]],
            cwd=self.root,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,
        )

    def run(self, *arguments):
        """Run a command to its end; exit status and output."""
        process = self.command(*arguments)
        output, _ = process.communicate()
        return process.returncode, output

    def build(self):
        """Run the plain command of the ecosystem."""
        return self.run("jupyter-book", "build", "book/")

    def pages(self):
        """All HTML files that are left where the site is published from."""
        return sorted(path.name for path in self.site.rglob("*.html"))


@pytest.fixture
def small_book(tmp_path):
    return SmallBook(tmp_path)
