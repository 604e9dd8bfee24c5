"""Claims about nothing, for the tests of the machinery; importing this registers none of them."""

import os
import time
from pathlib import Path

from attnsel_lib.claims import Breakage, Finding, claim, open_claim

RECORD = {
    "source": "our statement",
    "chapter": "one_step",
    "tolerance": 0.01,
    "why": "rounding of $\\alpha<1$",
    "boundary": "numbers other than <this> & that",
    "breakages": [Breakage("twice as much", {"tests.claims.toy.factor": lambda: 2.0})],
}
WORDS = {"title": "half of $x$ <b>", "statement": "The measured value of $a<b$ & <b>c</b> is one half."}


def factor():
    return 1.0


def half(seed):
    return Finding(0.5 * factor(), 0.5, instance=seed)


def count_run():
    """Leave a mark for each computation in the folder that a test names."""
    if folder := os.environ.get("TOY_MARKS"):
        (Path(folder) / f"{os.getpid()}-{time.monotonic_ns()}").touch()


def counted(seed):
    count_run()
    time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
    return half(seed)


def fail(seed):
    return Finding(0.75, 0.5, "at most")


def stumble(seed):
    count_run()
    raise RuntimeError("no convergence <here>")


def register():
    """T1 holds, T2 fails, T3 fails and is known, T4 is open, T5 raises, T6 holds outside its hypotheses."""
    zero = {"seed is zero": lambda seed: seed == 0}
    claim(id="T1", **RECORD | WORDS, hypotheses=zero)(counted)
    claim(id="T2", **RECORD | WORDS)(fail)
    claim(id="T3", **RECORD | WORDS, known="the other <value> was printed in haste")(fail)
    unsettled = {"source": "our statement", "chapter": "margin", "open_because": "no proof of $p<q$ is known"}
    open_claim(id="T4", **WORDS | unsettled)
    claim(id="T5", **RECORD | WORDS | {"chapter": "flow"})(stumble)
    claim(id="T6", **RECORD | WORDS, hypotheses=zero, seeds=(0, 1, 2))(half)
