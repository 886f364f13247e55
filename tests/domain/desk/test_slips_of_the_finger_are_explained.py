"""Did you mean: what a slip of the finger, or a beginning that was typed in haste, was meant to be."""

import pytest

from corral.control.desk.naming.suggestions import did_you_mean, did_you_mean_file

KNOWN = ["pytorchjobs", "digits", "PyTorchJob", "pods", "get", "list", "top", "train-6vwmb", "train-6vwmb-master-0"]


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("pytrochjobs", "pytorchjobs"),
        ("dig", "digits"),
        ("PyTorchJo", "PyTorchJob"),
        ("gte", "get"),
        ("lsit", "list"),
        ("tpo", "top"),
        ("train", "train-6vwmb"),
    ],
)
def test_a_slip_of_the_finger_is_told_what_was_meant(word: str, want: str) -> None:
    assert did_you_mean(word, KNOWN) == f'did you mean "{want}"?'


def test_the_dashes_of_flags_are_no_likeness() -> None:
    flags = ["--color", "--workers", "--gpus", "-e", "-d"]
    assert did_you_mean("--lr", flags) == did_you_mean("-x", flags) == ""
    assert did_you_mean("--wokers", flags) == 'did you mean "--workers"?'


def test_of_several_that_begin_so_three_are_named() -> None:
    known = [*KNOWN, "train-8x2kq", "train-9b7zz", "train-zzzzz"]
    assert did_you_mean("train", known) == 'did you mean "train-6vwmb" or "train-8x2kq" or "train-9b7zz"?'


def test_what_is_near_nothing_is_told_nothing() -> None:
    assert did_you_mean("zzz", KNOWN) == ""
    assert did_you_mean("t", KNOWN) == ""


def test_a_file_is_looked_for_by_its_own_name() -> None:
    beside = ["train.py", "model.py", "job.yaml"]
    assert did_you_mean_file("a/long/folder/trian.py", beside) == 'did you mean "a/long/folder/train.py"?'
    assert did_you_mean_file("jbo.yaml", beside) == 'did you mean "job.yaml"?'
    assert did_you_mean_file("job.yml", beside) == 'did you mean "job.yaml"?'
    assert did_you_mean_file("./train", beside) == 'did you mean "./train.py"?'
    assert did_you_mean_file("a/long/folder/none.yaml", beside) == did_you_mean_file("a/", beside) == ""
