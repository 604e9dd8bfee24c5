"""Tables are read whatever the path and the home folder, and refused with the value that is wrong."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from attnsel_lib.corpus import load_corpus

TABLE = pd.DataFrame({"text": ["good", "bad", "fine"], "label": [1, 0, 1]})


@pytest.mark.parametrize(
    "name", ["data [old]/a.parquet", "a*b?.parquet", "{a,b} #1 50%20.parquet", ".hidden/字 é.parquet"]
)
def test_a_path_is_taken_literally(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    TABLE.to_parquet(path)
    assert load_corpus(path).texts == tuple(TABLE["text"])
    assert load_corpus(os.fsencode(path)).origin.location == path.name


def test_a_path_that_looks_like_a_pattern_reads_no_other_file(tmp_path):
    TABLE.to_parquet(tmp_path / "[ab].parquet")
    TABLE.assign(text="other").to_parquet(tmp_path / "a.parquet")
    assert load_corpus(tmp_path / "[ab].parquet").texts == tuple(TABLE["text"])


@pytest.mark.parametrize(
    ("kind", "low"),
    [(bool, 0), (np.uint8, 0), (np.int64, 0), (float, 0), (np.int8, -1), (np.int64, -1), (np.float32, -1)],
)
def test_two_labels_of_any_number_type(tmp_path, kind, low):
    labels = np.array([1, low, 1, low]).astype(kind)
    pd.DataFrame({"text": list("abcd"), "label": labels}).to_parquet(tmp_path / "x.parquet")
    np.testing.assert_array_equal(load_corpus(tmp_path / "x.parquet").labels, [1, -1, 1, -1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0], [1], [1]], r"got \[0\], \[1\]$"),
        ([[0], [1, 0], []], r"got \[0\], \[1, 0\], \[\]$"),
        ([0, 1, None], "got 0.0, 1.0, None$"),
        ([1, 1, 1], "got 1$"),
        ([0, 0.5, 1], "got 0.0, 0.5, 1.0$"),
        (["0", "1", "1"], "got '0', '1'$"),
        (["a long review " * 1000] * 3, r"got 'a long revie\.\.\..{14}$"),
        (list("abcdefgh"), "got 'a', 'b', 'c', 'd', 'e'$"),
    ],
)
def test_labels_of_another_kind(tmp_path, labels, message):
    pd.DataFrame({"text": ["good"] * len(labels), "label": labels}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x\.parquet: labels must be 0 and 1, or -1 and \+1, " + message):
        load_corpus(tmp_path / "x.parquet")


def test_a_label_that_is_no_number_is_not_read_as_missing(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(
        pa.table({"text": list("abc"), "label": [1.0, np.nan, -np.nan]}), tmp_path / "x.parquet"
    )
    with pytest.raises(ValueError, match=r"got 1\.0, nan$"):
        load_corpus(tmp_path / "x.parquet")


def test_a_file_cut_in_half_is_refused(tmp_path):
    TABLE.to_parquet(tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"x\.parquet cannot be read as parquet: "):
        load_corpus(tmp_path / "x.parquet")


@pytest.mark.parametrize("value", [3, None, 1.5])
def test_a_name_must_be_text(value):
    with pytest.raises(TypeError, match=f"not {type(value).__name__}"):
        load_corpus(value)


def read_elsewhere(path, home):
    """Load a file and the package's data in a process whose home folder is `home`."""
    code = (
        "import sys; from attnsel_lib.corpus import load_corpus as load\n"
        "print(*(len(load(x)) for x in sys.argv[1:]))"
    )
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "XDG_", "ATTNSEL_"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(path), "rotten_tomatoes"],
        env={**keep, "HOME": str(home), "USERPROFILE": str(home)},
        capture_output=True,
        text=True,
    )


def test_nothing_is_left_in_the_home_folder(tmp_path):
    (tmp_path / "home").mkdir()
    TABLE.to_parquet(tmp_path / "x.parquet")
    done = read_elsewhere(tmp_path / "x.parquet", tmp_path / "home")
    assert (done.stdout, done.stderr, done.returncode) == ("3 8530\n", "", 0)
    assert list((tmp_path / "home").iterdir()) == []


def test_a_home_folder_that_cannot_exist_does_no_harm(tmp_path):
    TABLE.to_parquet(tmp_path / "x.parquet")
    done = read_elsewhere(tmp_path / "x.parquet", tmp_path / "x.parquet" / "below a file")
    assert (done.stdout, done.stderr, done.returncode) == ("3 8530\n", "", 0)
