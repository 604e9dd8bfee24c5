"""Lets docstrings stay plain text for those who read them in a terminal.

Shapes may be written ``(n, |S|)``, which RST would take for a substitution, and the fields of a class as
lines ``name : what it is`` under its summary, which RST would run together into a paragraph.
"""

import re

LITERAL = re.compile(r"(``.*?``|:math:`.*?`)")
BARS = re.compile(r"\|([^|\s](?:[^|]*[^|\s])?)\|")
FIELD = re.compile(r"\w+(, \w+)* : ")


def head_fields(app, what, name, obj, options, lines):
    """Put the heading "Attributes" above the lines that describe the fields of a class."""
    if what != "class" or any(line.startswith("---") for line in lines):
        return
    first = next((number for number, line in enumerate(lines) if FIELD.match(line)), None)
    if first is not None:
        described = [one for line in lines[first:] for one in split_names(line)]
        lines[first:] = ["Attributes", "----------", *described]


def split_names(line):
    """One line for each name of ``a, b : what both are``; any other line as it is."""
    if not FIELD.match(line):
        return [line]
    names, _, text = line.partition(" : ")
    return [f"{name} : {text}" for name in names.split(", ")]


def skip_aliases(app, what, name, obj, skip, options):
    """Leave out fields of named tuples that carry Python's own docstring only."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def escape_bars(app, what, name, obj, options, lines):
    """Escape pairs of vertical bars outside literals, mathematics and examples, line by line."""
    inside = None  # indentation of the directive or literal block that a line may belong to
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indent <= inside:
            inside = None
        if inside is None:
            lines[number] = escape_line(line)
            if line.lstrip().startswith(".. math::") or line.rstrip().endswith("::"):
                inside = indent


def escape_line(line):
    """Escape the bars of one line, except in ``literals``, :math: and doctest prompts."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = LITERAL.split(line)
    return "".join(part if LITERAL.fullmatch(part) else BARS.sub(r"\|\1\|", part) for part in parts)


def setup(app):
    """Head fields before, and escape after, napoleon turns numpydoc sections into RST."""
    app.connect("autodoc-process-docstring", head_fields, priority=100)
    app.connect("autodoc-skip-member", skip_aliases)
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
