"""Laws that hold for every structural schema and every value."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.schema.defaulting import apply_defaults
from corral.engine.apiserver.schema.pruning import check_custom, drop_nulls, prune
from corral.engine.apiserver.schema.settled import is_settled
from corral.engine.apiserver.schema.structural import compile_schema
from corral.engine.apiserver.schema.validation import _judge, validate
from corral.engine.apiserver.schema.validity import is_valid

NAMES = st.sampled_from(["a", "b", "c", "d"])
SCALARS = {
    "string": st.text(max_size=3),
    "integer": st.integers(-100, 100),
    "number": st.floats(-10, 10),
    "boolean": st.booleans(),
}


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    kinds = [*SCALARS, "object", "map", "array"] if depth else list(SCALARS)
    kind = draw(st.sampled_from(kinds))
    schema: dict[str, Any] = {"type": kind}
    if kind == "object":
        names = draw(st.lists(NAMES, unique=True, max_size=3))
        schema["properties"] = {name: draw(schemas(depth=depth - 1)) for name in names}
        schema["x-kubernetes-preserve-unknown-fields"] = draw(st.booleans())
    elif kind == "map":
        schema = {"type": "object", "additionalProperties": draw(schemas(depth=depth - 1))}
    elif kind == "array":
        schema["items"] = draw(schemas(depth=depth - 1))
    elif draw(st.booleans()):
        schema["default"] = draw(SCALARS[kind])
    if draw(st.integers(0, 5)) == 0:
        schema["nullable"] = True
    return schema


ROOTS = st.dictionaries(NAMES, schemas(), max_size=4).map(lambda p: {"type": "object", "properties": p})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(NAMES, JSON, max_size=4)


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema accepts."""
    if schema["type"] in SCALARS:
        return SCALARS[schema["type"]]
    if schema["type"] == "array":
        return st.lists(fitting(schema["items"]), max_size=2)
    if "additionalProperties" in schema:
        return st.dictionaries(NAMES, fitting(schema["additionalProperties"]), max_size=2)
    children = {key: fitting(child) for key, child in schema["properties"].items()}
    return st.fixed_dictionaries({}, optional=children)


@given(ROOTS, OBJECTS)
def test_pruning_again_finds_nothing(source: dict[str, Any], obj: dict[str, Any]) -> None:
    schema = compile_schema(source)
    prune(schema, obj)
    before = copy.deepcopy(obj)
    assert prune(schema, obj) == []
    assert obj == before


@given(ROOTS, OBJECTS)
def test_defaulting_again_changes_nothing(source: dict[str, Any], obj: dict[str, Any]) -> None:
    schema = compile_schema(source)
    drop_nulls(schema, obj)
    apply_defaults(schema, obj)
    before = copy.deepcopy(obj)
    apply_defaults(schema, obj)
    assert obj == before


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_value_made_for_a_schema_is_accepted_whole(data: st.DataObject) -> None:
    source = data.draw(ROOTS)
    obj = data.draw(fitting(source))
    schema = compile_schema(source)
    before = copy.deepcopy(obj)
    checked = check_custom(schema, obj)
    assert (checked.error, checked.unknown, obj) == ("", [], before)
    apply_defaults(schema, obj)
    assert validate(schema, obj) == []


@given(ROOTS, OBJECTS, st.booleans())
def test_a_settled_object_is_left_as_it_is(source: dict[str, Any], obj: dict[str, Any], cleaned: bool) -> None:
    schema = compile_schema(source)
    if cleaned:
        _settle(source, obj)
    before = copy.deepcopy(obj)
    if is_settled(schema, obj):
        _settle(source, obj)
        assert obj == before


RULES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "string": {"minLength": st.integers(0, 2), "maxLength": st.integers(0, 2), "pattern": st.just("^a*$")},
    "integer": {"minimum": st.integers(-2, 2), "maximum": st.floats(-3, 3), "multipleOf": st.just(2)},
    "number": {"minimum": st.integers(-2, 2), "exclusiveMinimum": st.booleans()},
    "boolean": {"enum": st.just([True])},
    "array": {"minItems": st.integers(0, 2), "maxItems": st.integers(0, 2)},
    "object": {"minProperties": st.integers(0, 2), "required": st.just(["a"])},
}


@st.composite
def ruled(draw: st.DrawFn, depth: int = 2) -> dict[str, Any]:
    """A schema with rules and alternatives."""
    schema = draw(schemas(depth=0))
    if depth and draw(st.booleans()):
        inner = ruled(depth=depth - 1)
        properties = draw(st.dictionaries(NAMES, inner, max_size=3))
        schema = draw(st.sampled_from([{"type": "array", "items": draw(inner)}, {"type": "object"}]))
        if schema["type"] == "object":
            schema["properties"] = properties
    for rule, values in RULES[schema["type"]].items():
        if draw(st.integers(0, 2)) == 0:
            schema[rule] = draw(values)
    if draw(st.integers(0, 4)) == 0:
        junctor = draw(st.sampled_from(["allOf", "anyOf", "oneOf"]))
        schema[junctor] = [{"minLength": 1}, {"maximum": 1}, {"required": ["b"]}][: draw(st.integers(1, 3))]
    if draw(st.integers(0, 4)) == 0:
        schema["nullable"] = True
    return schema


@settings(max_examples=300, deadline=None)
@given(ruled(), JSON)
def test_the_quick_test_never_accepts_what_the_walk_refuses(source: dict[str, Any], value: Any) -> None:
    if is_valid(compile_schema(source), value):
        assert _walked(source, value) == []


def _walked(source: dict[str, Any], value: Any) -> list[Any]:
    return _judge(compile_schema(source), value, "", object()).findings


def _settle(source: dict[str, Any], obj: dict[str, Any]) -> None:
    schema = compile_schema(source)
    prune(schema, obj)
    drop_nulls(schema, obj)
    apply_defaults(schema, obj)


@given(ROOTS, OBJECTS)
def test_an_unchanged_object_is_always_forgiven(source: dict[str, Any], obj: dict[str, Any]) -> None:
    assert validate(compile_schema(source), obj, copy.deepcopy(obj)) == []


@given(ROOTS, OBJECTS)
def test_defaults_do_not_share_state_with_the_schema(source: dict[str, Any], obj: dict[str, Any]) -> None:
    source["properties"]["z"] = {
        "type": "object",
        "default": {"list": []},
        "x-kubernetes-preserve-unknown-fields": True,
    }
    schema = compile_schema(source)
    apply_defaults(schema, obj)
    obj["z"]["list"].append(1)
    again: dict[str, Any] = {}
    apply_defaults(schema, again)
    assert again["z"] == {"list": []}
