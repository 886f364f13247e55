"""`corral cp`: which side is in a job, and how a path becomes words that no program takes for an option."""

import pytest

from corral.control.desk.copies.places import Cut, Remote, cut, name_of, remote_in, sides_of
from corral.errors import PermanentError


@pytest.mark.parametrize(
    ("word", "want"),
    {
        "digits:/out": Remote("digits", "/out"),
        "digits/worker-0:out": Remote("digits/worker-0", "out"),
        "pytorchjob/digits/worker-0:a:b": Remote("pytorchjob/digits/worker-0", "a:b"),
        "./digits:/out": None,
        "/digits:/out": None,
        "../a:b": None,
        "a/b/c/d:e": None,
        "plain": None,
        "a b:c": None,
        ":c": None,
        "-a:b": None,
    }.items(),
)
def test_a_word_with_a_colon_is_in_a_job_unless_it_begins_like_a_path(word: str, want: Remote | None) -> None:
    assert remote_in(word) == want


def test_exactly_one_side_is_in_a_job() -> None:
    assert sides_of("digits:/a", "b") == (Remote("digits", "/a"), "b", False)
    assert sides_of("b", "digits:/a") == (Remote("digits", "/a"), "b", True)


@pytest.mark.parametrize("words", [("a", "b"), ("x:a", "y:b"), ("x:", "b"), ("", "x:b"), ("a", "x:b\0")])
def test_everything_else_is_refused(words: tuple[str, str]) -> None:
    with pytest.raises(PermanentError) as told:
        sides_of(*words)
    assert told.value.code == "bad-copy"


@pytest.mark.parametrize(
    ("path", "want"),
    {
        "/out/model.pt": (Cut("/out", "model.pt"), "./model.pt", "model.pt"),
        "model.pt": (Cut(".", "model.pt"), "./model.pt", "model.pt"),
        "-rf": (Cut(".", "-rf"), "./-rf", "-rf"),
        "-a/-b": (Cut("./-a", "-b"), "./-b", "-b"),
        "/out/": (Cut("/out/", "."), ".", "out"),
        "/out/.": (Cut("/out/.", "."), ".", ""),
        "..": (Cut("..", "."), ".", ""),
        ".": (Cut(".", "."), ".", ""),
        "/": (Cut("/", "."), ".", ""),
        "/model.pt": (Cut("/", "model.pt"), "./model.pt", "model.pt"),
    }.items(),
)
def test_a_path_is_cut_into_a_folder_and_a_name(path: str, want: tuple[Cut, str, str]) -> None:
    assert (cut(path), cut(path).argument, name_of(path)) == want
