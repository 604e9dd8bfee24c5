"""The commands around figures: output, errors in one line, exit status."""

import json

import pytest

from attnsel_lib.cli import main

from .test_provenance import FIGURE, HEADER, write_build


@pytest.fixture
def book(tmp_path):
    folder = tmp_path / "book"
    folder.mkdir()
    page = FIGURE.replace("NAME", "fig-one").replace("VALUE", "4")
    (folder / "page.md").write_text(HEADER + page, "utf8")
    return folder


def test_a_figure_is_written_and_listed(book, tmp_path, capsys):
    assert main(["figure", "--book", str(book)]) == 0
    assert capsys.readouterr().out.split() == ["fig-one", "page"]
    assert main(["figure", "fig-one", "--book", str(book), "--out", str(tmp_path / "out")]) == 0
    arrays = json.loads((tmp_path / "out" / "fig-one.json").read_text("utf8"))
    assert arrays["axes"][0]["series"][0]["values"] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure", "fig-9"], "attnsel: unknown figure 'fig-9': known are fig-one"),
        (["figure", "fig-9", "--book", "nowhere"], "attnsel: no chapters in nowhere"),
        (["diff-figures", "nowhere", "nowhere"], "attnsel: no figure arrays in nowhere"),
    ],
)
def test_what_is_not_there_is_one_line_and_status_2(book, capsys, arguments, message):
    if arguments == ["figure", "fig-9"]:
        arguments = [*arguments, "--book", str(book)]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_chapter_that_fails_has_status_1(book, tmp_path, capsys):
    page = (book / "page.md").read_text("utf8").replace("ax.plot([1, 2]", "ax.plot([1, 2, 3]")
    (book / "page.md").write_text(page, "utf8")
    assert main(["figure", "fig-one", "--book", str(book), "--out", str(tmp_path)]) == 1
    assert "ValueError" in capsys.readouterr().out
    assert not list(tmp_path.glob("fig-one.*"))


def test_what_moved_has_status_1(tmp_path, capsys):
    old = write_build(tmp_path / "old", m=[[1.0, 2.0]])
    new = write_build(tmp_path / "new", m=[[1.0, 2.1]])
    assert main(["diff-figures", str(old), str(old)]) == 0
    assert main(["diff-figures", str(old), str(new)]) == 1
    assert main(["diff-figures", str(old), str(new), "--rtol", "0.1"]) == 0
    assert "moved by 5.0e-02" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "much"])
def test_tolerances_are_finite_and_not_negative(value, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["diff-figures", "a", "b", "--rtol", value])
    assert stopped.value.code == 2
    assert value in capsys.readouterr().err
