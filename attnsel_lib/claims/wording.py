"""Numbers and sentences of a claim as a reader sees them."""

import html
import math
import re

MATHEMATICS = re.compile(r"\$([^$]+)\$")
RELATION = {"equal": "=", "at most": "≤", "at least": "≥"}


def significant(number):
    """Four significant digits; thousands written out, powers of ten from a million and below 1e-4.

    Examples
    --------
    >>> significant(6.30432), significant(24679.3), significant(1.8449e-10), significant(64.0)
    ('6.304', '24,680', '1.845e-10', '64')
    """
    if number is None:
        return "–"
    if not math.isfinite(number):
        return str(float(number))
    rounded = float(f"{number:.4g}")
    if 1000 <= abs(rounded) < 1e6:
        return f"{rounded:,.0f}"
    return f"{rounded:.4g}"


def expectation(outcome, tolerance):
    """What was expected, with direction and tolerance: "≤ 1 + 0.01", "= 0.5 ± 0.1"."""
    if outcome.expected is None:
        return "–"
    sign = {"equal": "±", "at most": "+", "at least": "−"}[outcome.direction]
    slack = f" {sign} {significant(tolerance)}" if tolerance else ""
    return f"{RELATION[outcome.direction]} {significant(outcome.expected)}{slack}"


def seeds(outcome):
    """Runs that agreed of all runs; "3/3 seeds"."""
    return f"{outcome.passed}/{outcome.runs} seed{'' if outcome.runs == 1 else 's'}" if outcome.runs else "–"


def hypotheses(outcome):
    """Sentence on which hypotheses held on the instance."""
    if not outcome.hypotheses:
        return "none"
    broken = [name for name, held in outcome.hypotheses.items() if not held]
    if broken:
        return f"not met: {', '.join(broken)}"
    return f"met: {', '.join(outcome.hypotheses)}"


def rich(text):
    r"""Text as HTML: escaped, and what stands between $ in the form that the book's MathJax draws."""
    parts = MATHEMATICS.split(text)
    return "".join(
        f'<span class="math notranslate nohighlight">\\({html.escape(part)}\\)</span>'
        if number % 2
        else html.escape(part)
        for number, part in enumerate(parts)
    )
