"""`--set`: a path, a value with the type that YAML gives it, and errors that name the path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.errors import PermanentError
from corral.kinds.settings import read_setting, shown_path, with_settings

JOB = {
    "kind": "PyTorchJob",
    "metadata": {"name": "digits", "labels": {"team": "vision"}, "annotations": None},
    "spec": {"containers": [{"name": "a", "args": ["x", "y"]}]},
}


def changed(*texts: str) -> Any:
    """Returns the job after settings."""
    return with_settings(JOB, [read_setting(text) for text in texts])


@pytest.mark.parametrize(
    ("written", "want"),
    {
        "3": 3,
        "-1.5": -1.5,
        "0x1f": 31,
        "true": True,
        "no": "no",
        "012": "012",
        "2024-01-01": "2024-01-01",
        "": "",
        '"3"': "3",
        "''": "",
        "a=b,c=d": "a=b,c=d",
        "echo a: b # c": "echo a: b # c",
        "registry:5000/image:tag": "registry:5000/image:tag",
        '["--lr", 0.1]': ["--lr", 0.1],
        "{a: 1, b: [x]}": {"a": 1, "b": ["x"]},
    }.items(),
)
def test_a_value_has_the_type_that_yaml_gives_it(written: str, want: object) -> None:
    got = changed(f"spec.x={written}")["spec"]["x"]
    assert (got, type(got)) == (want, type(want))


def test_missing_mappings_are_made_and_the_object_itself_stays() -> None:
    before = repr(JOB)
    assert changed("spec.runPolicy.backoffLimit=3")["spec"]["runPolicy"] == {"backoffLimit": 3}
    assert changed("metadata.annotations.a=b")["metadata"]["annotations"] == {"a": "b"}
    assert repr(JOB) == before


def test_lists_have_places_and_grow_by_one() -> None:
    assert changed("spec.containers[0].args[1]=z")["spec"]["containers"][0]["args"] == ["x", "z"]
    assert changed("spec.containers[1].name=b")["spec"]["containers"][1] == {"name": "b"}
    assert changed("spec.new[0][0]=1")["spec"]["new"] == [[1]]


@pytest.mark.parametrize("key", [r"corral\.dev/team", '["corral.dev/team"]', "['corral.dev/team']"])
def test_a_key_with_dots_is_quoted_or_escaped(key: str) -> None:
    dot = "" if key.startswith("[") else "."
    assert changed(f"metadata.labels{dot}{key}=a")["metadata"]["labels"]["corral.dev/team"] == "a"


def test_null_takes_away() -> None:
    assert "labels" not in changed("metadata.labels=null")["metadata"]
    assert changed("metadata.labels.team=null")["metadata"]["labels"] == {}
    assert changed("spec.containers[0].args[0]=null")["spec"]["containers"][0]["args"] == ["y"]
    assert changed("spec.a.b=null", "spec.containers[7]=null", "metadata.labels.other=~") == JOB


def test_later_settings_see_earlier_ones() -> None:
    assert changed("spec.a={b: 1}", "spec.a.c=2")["spec"]["a"] == {"b": 1, "c": 2}


def test_a_kind_before_the_path_is_a_condition() -> None:
    assert changed("pytorchjob:spec.x=1")["spec"]["x"] == 1
    assert changed("ConfigMap:spec.x=1") == JOB


@pytest.mark.parametrize(
    ("text", "want"),
    {
        "": "PATH=VALUE",
        "spec.x": "PATH=VALUE",
        "=3": "PATH=VALUE",
        "spec..x=3": "PATH=VALUE",
        "spec.=3": "PATH=VALUE",
        "spec.x[a]=3": "PATH=VALUE",
        "spec.x[0=3": "PATH=VALUE",
        "spec.x y=3": "PATH=VALUE",
        "spec.x=[1": "not YAML",
        "spec.x=!!python/object:os.system []": None,
        "spec.x=[!!python/object:os.system []]": "tags are not allowed",
        "spec.x=.nan": "no number that JSON can carry",
        "spec.x=99999999999999999999": "64 bits",
        "spec.containers.name=b": "spec.containers is a list, not a mapping",
        "metadata.name.x=b": "metadata.name is text, not a mapping",
        "metadata[0]=b": "metadata is a mapping, not a list",
        "spec.containers[5].name=b": "spec.containers has 1 entries, so the next one is [1]",
    }.items(),
)
def test_what_cannot_be_set_says_why_and_where(text: str, want: str | None) -> None:
    if want is None:
        assert changed(text)["spec"]["x"] == text.partition("=")[2]
        return
    with pytest.raises(PermanentError) as told:
        changed(text)
    assert told.value.code == "bad-setting"
    assert want in told.value.message


KEYS = st.text(st.characters(min_codepoint=32, exclude_characters="\"'\\"), min_size=1, max_size=8)


@given(st.lists(KEYS, min_size=1, max_size=5))
def test_every_path_can_be_typed_as_it_is_shown(path: list[str]) -> None:
    quoted = "".join(f'["{key}"]' for key in path)
    assert read_setting(f"{quoted}=1").path == tuple(path)
    assert read_setting(f"{shown_path(path)}=1").path == tuple(path)
