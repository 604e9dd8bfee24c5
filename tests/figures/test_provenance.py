"""The numbers of a figure, the line below it, what moved between two builds, and one figure alone."""

import json

import matplotlib as mpl
import numpy as np
import pytest

from attnsel_lib import figures
from attnsel_lib.corpus import Origin
from attnsel_lib.figures.regenerate import figure_names, regenerate

HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# A page
"""
FIGURE = """
```{code-cell} ipython3
---
mystnb:
  figure: {name: NAME, caption: "A line."}
  image: {alt: "A line"}
---
import matplotlib.pyplot as plt
from attnsel_lib.figures import publish
fig, ax = plt.subplots()
ax.plot([1, 2], [3, VALUE]);
```

```{code-cell} ipython3
publish(fig, "NAME")
```
"""


@pytest.fixture
def figure():
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    yield figure, ax
    plt.close(figure)


def test_every_kind_of_artist_gives_its_numbers(figure):
    fig, ax = figure
    ax.plot([1, 2], [3.0, np.nan], label="theory")
    ax.scatter([5], [6])
    ax.fill_between([0, 1], [0, 0], [2, 3])
    ax.bar([1], [7])
    ax.imshow([[0.0, 9.0]])
    ax.set(xlabel="x", ylabel="y")
    (record,) = figures.plotted_arrays(fig)
    series = {s["kind"] + s["label"]: s["values"] for s in record["series"]}
    assert series["linetheory"] == [[1, 3], [2, None]]
    assert [[5, 6]] in series.values()
    assert [[0.0, 9.0]] in series.values()
    bands = [s["values"] for s in record["series"] if s["kind"] == "collection"]
    assert any([1.0, 3.0] in values for values in bands)
    assert next(s["values"] for s in record["series"] if s["kind"] == "bar")[0][3] == 7.0
    assert json.loads(json.dumps(record)) == record


def test_numbers_are_rounded_to_nine_digits(figure):
    fig, ax = figure
    ax.plot([1 / 3], [1e-300 / 3])
    ((x, y),) = figures.plotted_arrays(fig)[0]["series"][0]["values"]
    assert x == 0.333333333
    assert y == pytest.approx(1e-300 / 3, rel=1e-8)


def test_publishing_writes_the_arrays_where_a_build_wants_them(figure, tmp_path, monkeypatch):
    fig, ax = figure
    ax.plot([1, 2], [3, 4])
    origin = Origin("imdb", "train", "a <file>", 25_000, 12_500, "d4acac55aaaa", "terms")
    monkeypatch.setenv("ATTNSEL_FIGURES", str(tmp_path / "new"))
    line = figures.publish(fig, "fig-a", claims=["C2", "C3"], seeds=(0, 1), data=origin).data
    for part in ('href="ledger.html#claim-C2"', "seeds 0, 1", "25,000", "sha256 d4acac55", "a &lt;file&gt;"):
        assert part in line
    record = json.loads((tmp_path / "new" / "fig-a.json").read_text("utf8"))
    assert record["claims"] == ["C2", "C3"]
    assert record["axes"][0]["series"][0]["values"] == [[1, 3], [2, 4]]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["fig-a.json"]


def test_outside_a_build_nothing_is_written(figure, tmp_path, monkeypatch):
    fig, ax = figure
    ax.plot([1], [2])
    monkeypatch.delenv("ATTNSEL_FIGURES", raising=False)
    monkeypatch.chdir(tmp_path)
    assert "no random numbers" in figures.publish(fig, "fig-a", seeds=()).data
    assert not list(tmp_path.iterdir())


def test_an_empty_figure_is_refused(figure):
    with pytest.raises(ValueError, match="figure 'fig-a' shows no data"):
        figures.publish(figure[0], "fig-a")


def write_build(folder, **series):
    folder.mkdir()
    axes = [{"series": [{"kind": "line", "label": k, "values": v} for k, v in series.items()]}]
    (folder / "fig-a.json").write_text(json.dumps({"axes": axes}), "utf8")
    return folder


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({"m": [[1.0, 2.0000001]]}, []),
        ({"m": [[1.0, 2.1]]}, ["moved by 5.0e-02"]),
        ({"m": [[1.0, None]]}, ["moved by inf"]),
        ({"m": [[1.0, 2.0], [3.0, 4.0]]}, ["changed shape from (1, 2) to (2, 2)"]),
        ({"other": [[1.0, 2.0]]}, ["(m) disappeared", "(other) is new"]),
    ],
)
def test_what_moved_is_said(tmp_path, new, expected):
    old = write_build(tmp_path / "old", m=[[1.0, 2.0]])
    found = figures.moved(old, write_build(tmp_path / "new", **new))
    assert len(found) == len(expected)
    assert all(text in sentence for text, sentence in zip(expected, found, strict=True))


def test_figures_that_come_and_go_are_said(tmp_path):
    old, new = write_build(tmp_path / "old", m=[[1.0]]), write_build(tmp_path / "new", m=[[1.0]])
    (new / "fig-a.json").rename(new / "fig-b.json")
    assert [text.split(":")[0] for text in figures.moved(old, new)] == ["fig-a", "fig-b"]
    with pytest.raises(FileNotFoundError, match="no figure arrays"):
        figures.moved(old, tmp_path)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    page = HEADER + FIGURE.replace("NAME", "fig-one").replace("VALUE", "4")
    page += FIGURE.replace("NAME", "fig-two").replace("VALUE", "5")
    (folder / "page.md").write_text(page, "utf8")
    (folder / "prose.md").write_text("# No code\n", "utf8")
    return folder


def test_one_figure_is_made_alone_and_twice_the_same(book, tmp_path):
    assert list(figure_names(book)) == ["fig-one", "fig-two"]
    for folder in ("first", "second"):
        paths = regenerate("fig-two", tmp_path / folder, book)
        assert [path.name for path in paths] == ["fig-two.png", "fig-two.json"]
        assert len(list((tmp_path / folder).iterdir())) == 2
    assert paths[0].read_bytes()[:4] == b"\x89PNG"
    assert figures.moved(tmp_path / "first", tmp_path / "second", rtol=0.0) == []


def test_an_unknown_figure_lists_those_there_are(book, tmp_path):
    with pytest.raises(ValueError, match="unknown figure 'fig-3': known are fig-one, fig-two"):
        regenerate("fig-3", tmp_path, book)
    (tmp_path / "page.md").write_text(HEADER + FIGURE.replace("publish(fig", "print(fig"), "utf8")
    with pytest.raises(ValueError, match=r"page.md draws 'NAME' but no cell below publishes it"):
        regenerate("NAME", tmp_path, tmp_path)
    with pytest.raises(FileNotFoundError, match="no chapters in"):
        regenerate("fig-3", tmp_path, tmp_path / "none")
