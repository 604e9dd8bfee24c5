"""Every numbered statement of the book has the badge of a claim in its section, or is a definition.

Where the badge stands further down, beside the code, the section says so: "claim C2".
"""

import re

import pytest

from attnsel_lib.claims import REGISTRY

from .conftest import ROOT

STATEMENT = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{prf:(theorem|lemma|proposition|corollary|criterion|property|conjecture)\}(?P<title>.*)$"
)
HEADING = re.compile(r"^#{1,6} ")
BADGE = re.compile(r"""\bbadge\(["'](\w+)["']\)""")
MENTION = re.compile(r"\bclaim (C\w+)")
CHAPTERS = sorted((ROOT / "book").glob("*.md"))


def unchecked(text):
    """Statements without a badge between them and the next heading, as "line: title"."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = STATEMENT.match(line)
        if not found:
            continue
        end = next(k for k in range(number + 1, len(lines)) if lines[k].startswith(found["fence"]))
        if any(":class:" in option and "definition" in option for option in lines[number:end]):
            continue
        section = "\n".join(takewhile_not_heading(lines[end:]))
        named = set(MENTION.findall(section)) & set(BADGE.findall(text))
        if not (BADGE.search(section) or named):
            yield f"line {number + 1}: {found['title'].strip() or '(no title)'}"


def takewhile_not_heading(lines):
    """Lines of the section that is left; a # inside a code cell is a comment."""
    fenced = False
    for line in lines[1:]:
        fenced ^= line.startswith("```")
        if not fenced and HEADING.match(line):
            return
        yield line


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_every_statement_has_a_badge_or_is_a_definition(chapter):
    offenders = list(unchecked(chapter.read_text("utf8")))
    assert offenders == [], f"{chapter.name}: add a cell badge(\"C..\") below, or ':class: definition'"


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_badges_name_claims_of_the_ledger(chapter):
    named = BADGE.findall(chapter.read_text("utf8"))
    assert [id for id in named if id not in REGISTRY] == []


LEMMA = ":::{prf:lemma} Growth\n:label: x\nText.\n:::\n\n"
CELL = '```{code-cell} ipython3\n# comment\nbadge("C9")\n```\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LEMMA + CELL, []),
        (LEMMA, ["line 1: Growth"]),
        (LEMMA + "## Next\n\n" + CELL, ["line 1: Growth"]),
        (LEMMA + ":::{prf:proof}\nProof.\n:::\n\n```\n# no heading\n```\n\n" + CELL, []),
        (LEMMA + "Checked as claim C9.\n\n## Code\n\n" + CELL, []),
        (LEMMA + "Checked as claim C8.\n\n## Code\n\n" + CELL, ["line 1: Growth"]),
        (LEMMA.replace("Text", ":class: definition"), []),
        (LEMMA.replace("lemma", "definition"), []),
        ("```{prf:theorem}\nText.\n```\n", ["line 1: (no title)"]),
    ],
)
def test_the_search_finds_what_it_must(text, expected):
    assert list(unchecked(text)) == expected
