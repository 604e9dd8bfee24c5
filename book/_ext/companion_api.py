"""Lets docstrings write the mathematics as text: ``(n, |S|)`` is a shape, not an RST substitution."""

import re

LITERAL = re.compile(r"(``.*?``|:math:`.*?`)")
BARS = re.compile(r"\|([^|\s](?:[^|]*[^|\s])?)\|")


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
    """Escape after napoleon has turned numpydoc sections into RST."""
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
