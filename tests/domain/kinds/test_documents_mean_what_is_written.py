"""YAML as YAML 1.2 has it, bounded; the cases are those of reliability.md 3.6, 33 to 44, and what YAML 1.1 gets wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.documents import Document, DocumentError, Limits, each_object, load_document, load_documents

SCALARS: dict[str, Any] = {
    "yes": "yes",
    "no": "no",
    "on": "on",
    "off": "off",
    "true": True,
    "False": False,
    "~": None,
    "null": None,
    "12": 12,
    "-3": -3,
    "012": "012",
    "0o17": 15,
    "0x1f": 31,
    "1_000": "1_000",
    "1.5": 1.5,
    "1e3": 1000.0,
    ".5": 0.5,
    "1.": 1.0,
    "2024-01-01": "2024-01-01",
    "12:30:45": "12:30:45",
    "1e": "1e",
    "+": "+",
    "'12'": "12",
    '"no"': "no",
    "18446744073709551615": 2**64 - 1,
}


@pytest.mark.parametrize("text", SCALARS)
def test_scalars_are_those_of_yaml_1_2(text: str) -> None:
    assert load_document(f"value: {text}") == {"value": SCALARS[text]}


def laughing(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(lines)


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "a duplicate key": ("a: 1\nb: 2\na: 3", "line 3: the key 'a' stands twice in one mapping"),
    "a duplicate key in flow style": ("{a: 1, a: 2}", "stands twice"),
    "a python tag": ("a: !!python/object/apply:os.system [id]", "tags are not allowed"),
    "a harmless tag": ("a: !!str 3", "tags are not allowed"),
    "a billion laughs": (laughing(9), "aliases stand for more than 20000 values"),
    "an alias to itself": ("a: &a [*a]", "has no finished anchor"),
    "an unknown alias": ("a: *b", "has no finished anchor"),
    "a thousand levels": ("[" * 1000 + "]" * 1000, "nested deeper than 100 levels"),
    "a text that would end the C composer": ("[" * 300_000, "nested deeper than 100 levels"),
    "levels made by aliases": ("a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60, "nested deeper"),
    "infinity": ("a: .inf", "no number that JSON can carry"),
    "not a number": ("a: .nan", "no number that JSON can carry"),
    "a float beyond all bounds": ("a: 1e400", "no number that JSON can carry"),
    "a number beyond 64 bits": ("a: 18446744073709551616", "does not fit into 64 bits"),
    "a list as key": ("? [1]\n: 2", "a key must be text"),
    "an alias as key": ("a: &a x\n*a : 1", "a key must be text"),
    "a missing key": ("~: 1", "a key is missing"),
    "an unfinished list": ("a: [", "line 2"),
    "a tab for indentation": ("a:\n\tb: 1", "line 2"),
    "a control character": ("a: b\x00c", "control characters are not allowed"),
    "UTF-16": ("a: 1".encode("utf-16"), "not UTF-8"),
    "a merge of text": ("a: {<<: x}", "takes a mapping"),
    "too much": (b"a" * (3 * 1024 * 1024 + 1), "more than the limit"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_surprise_is_refused_with_its_place(case: str) -> None:
    text, complaint = REFUSED[case]
    with pytest.raises(DocumentError) as caught:
        load_documents(text, source="job.yaml")
    assert complaint in caught.value.message
    assert caught.value.message.startswith("job.yaml")
    assert "\n" not in caught.value.message


def test_documents_come_with_their_lines_and_empty_ones_do_not_count() -> None:
    found = load_documents("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n")
    assert found == [Document({"a": 1}, 2), Document({"b": 2}, 7)]


def test_too_many_documents_are_refused() -> None:
    with pytest.raises(DocumentError, match="more than 3 documents"):
        load_documents("---\na\n" * 4, limits=Limits(documents=3))


def test_only_one_document_where_one_is_due() -> None:
    with pytest.raises(DocumentError, match="line 3: one document is expected"):
        load_document("a: 1\n---\nb: 2\n")
    assert load_document("") is None


def test_aliases_are_copies_and_merges_do_not_overwrite() -> None:
    found = load_document("base: &b {image: x, cpu: [1]}\none: {<<: *b, image: y}\ntwo: *b\n")
    assert found["one"] == {"image": "y", "cpu": [1]}
    found["two"]["cpu"].append(2)
    assert found["base"] == {"image": "x", "cpu": [1]}


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert load_document("﻿a: 1".encode()) == {"a": 1}


def test_items_of_a_list_are_objects_of_their_own() -> None:
    text = "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Pod}\n- {apiVersion: v1, kind: Service}\n"
    assert [obj["kind"] for obj, _ in each_object(load_documents(text))] == ["Pod", "Service"]


@pytest.mark.parametrize("text", ["[1, 2]", "kind: Pod", "apiVersion: v1", "apiVersion: 1\nkind: Pod"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match=r"line 1: .*(expected|missing)"):
        list(each_object(load_documents(text), source="x.yaml"))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz-", min_size=1), inner, max_size=4),
    max_leaves=20,
)


@given(json_values.filter(lambda value: value is not None))
def test_every_json_text_means_the_same_as_yaml(value: Any) -> None:
    assert load_document(json.dumps(value)) == value
