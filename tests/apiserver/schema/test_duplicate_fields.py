"""Fields that stand twice in a JSON object, and that finding none costs no second parse."""

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.apiserver.schema.duplicates import duplicate_fields, strict_errors


def found(raw: str) -> list[str]:
    return duplicate_fields(raw.encode(), json.loads(raw))


def test_a_duplicate_is_told_with_its_path() -> None:
    raw = '{"a":1,"spec":{"x":1,"l":[{"k":1},{"k":1,"k":2}],"x":2},"a":2}'
    assert found(raw) == ['duplicate field "spec.l[1].k"', 'duplicate field "spec.x"', 'duplicate field "a"']


def test_texts_that_look_like_keys_mislead_nobody() -> None:
    for raw in (r'{"a":"\":\":","b\\":1}', '{"a" : 1, "b"\n:2}', r'{"a\"":":","b":"x :"}', "[]", "{}"):
        assert found(raw) == []
    for raw in (r'{"a\\":1,"a\\":2}', '{"a" :1,"a" :2}', '{"a":1, "b" :1, "a":2}', r'{"\u0061":1,"a":2}'):
        assert len(found(raw)) == 1


def test_duplicate_and_unknown_fields_are_told_in_the_order_of_the_document() -> None:
    raw = b'{"a":1,"a":2,"u":{"x":1,"x":2},"b":1,"b":2}'
    duplicates = duplicate_fields(raw, json.loads(raw))
    assert strict_errors(raw, duplicates, ["u"]) == [
        'duplicate field "a"',
        'unknown field "u"',
        'duplicate field "b"',
    ]
    assert strict_errors(raw, [], ["u", "u"]) == ['unknown field "u"']


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(0, 1) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(st.text(max_size=2), inner), max_size=4).map(tuple),
    max_leaves=12,
)


def written(value: Any) -> tuple[str, bool]:
    """Writes a tuple of pairs as an object, with every pair; tells whether a key stands twice."""
    if isinstance(value, tuple):
        parts = [(json.dumps(key), *written(item)) for key, item in value]
        keys = [key for key, _ in value]
        text = "{" + ",".join(f"{key}:{item}" for key, item, _ in parts) + "}"
        return text, len(set(keys)) != len(keys) or any(part[2] for part in parts)
    if isinstance(value, list):
        items = [written(item) for item in value]
        return "[" + ",".join(text for text, _ in items) + "]", any(double for _, double in items)
    return json.dumps(value), False


@given(VALUES)
def test_duplicates_are_found_exactly_when_there_are_some(value: Any) -> None:
    text, doubled = written(value)
    raw = text.encode("utf-8", "surrogatepass")
    try:
        decoded = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return  # lone surrogates are no JSON for the server either
    assert bool(duplicate_fields(raw, decoded)) == doubled
