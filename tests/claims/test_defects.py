"""Defects of the library that a careless edit could bring turn several rows of the ledger red."""

import pytest

from attnsel_lib.attention import model
from attnsel_lib.attention.parameters import Parameters
from attnsel_lib.claims import Verdict, run
from attnsel_lib.corpus import TokenCounts

common_maximum, log_domain = model._factors_common_maximum, model._scaled_w


def failing(ids):
    return {id for id in ids if run(id).verdict is Verdict.FAILS}


def flipped(corpus, z, gamma):
    factors = common_maximum(corpus, z, gamma)
    return factors._replace(a=-factors.a)


def flipped_tail(weights):
    scaled, log_scale = log_domain(weights)
    return -scaled, log_scale


def nothing_done(corpus, params, eta):
    """An embedding step whose line that adds the step was deleted."""
    return Parameters(params.E, params.p, params.v)


@pytest.mark.parametrize(
    ("target", "replacement", "red"),
    [
        ("attnsel_lib.attention.model._factors_common_maximum", flipped, {"C1", "C2", "C4", "C5"}),
        ("attnsel_lib.attention.model._scaled_w", flipped_tail, {"C1"}),
        ("attnsel_lib.attention.embedding_step", nothing_done, {"C2", "C4", "C5"}),
        (
            "attnsel_lib.corpus.TokenCounts.signed_frequency",
            TokenCounts.frequency,
            {"C2", "C5", "C7", "C8"},
        ),
    ],
    ids=["sign flipped in the gradient", "sign flipped in the log domain", "step deleted", "phi for alpha"],
)
def test_a_defect_turns_rows_red(monkeypatch, target, replacement, red):
    assert not failing(red)
    monkeypatch.setattr(target, replacement)
    assert failing(red) == red
