"""Laws of patches: they never change what they are given, and a difference applied gives the other object."""

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.patch import json_patch, merge_patch, strategic
from corral.engine.apiserver.patch.go_values import is_same
from corral.engine.apiserver.schema.node import Schema

quick = settings(max_examples=50, deadline=None)

keys = st.sampled_from(["a", "b", "c", "d/e", "f~g"])
scalars = st.one_of(st.booleans(), st.integers(-3, 3), st.text("xy", max_size=2))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)
objects = st.dictionaries(keys, values, max_size=4)
with_nulls = st.dictionaries(
    keys,
    st.recursive(st.one_of(st.none(), scalars), lambda inner: st.dictionaries(keys, inner, max_size=3), max_leaves=8),
    max_size=4,
)


@quick
@given(objects, objects)
def test_a_merge_patch_made_as_a_difference_gives_the_other_object(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert merge_patch.apply(old, merge_patch.difference(old, new)) == new


@quick
@given(objects, with_nulls)
def test_a_merge_patch_applied_twice_is_applied_once(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    before, patch_before = deepcopy(obj), deepcopy(patch)
    once = merge_patch.apply(obj, patch)
    assert merge_patch.apply(once, patch) == once
    assert (obj, patch) == (before, patch_before)


@quick
@given(objects, with_nulls)
def test_a_merge_patch_follows_the_letter_of_its_rfc(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    assert merge_patch.apply(obj, patch) == by_the_letter(obj, patch)


def by_the_letter(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = by_the_letter(result.get(key), value)
    return result


pointers = st.lists(st.one_of(keys, st.sampled_from(["0", "1", "-", "-1", "x"])), min_size=1, max_size=3).map(
    lambda steps: "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
)
operations = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), "path": pointers},
    optional={"from": pointers, "value": values},
)


@quick
@given(objects, st.lists(operations, max_size=6))
def test_a_json_patch_is_the_same_in_one_piece_and_operation_by_operation(
    obj: dict[str, Any], patch: list[dict[str, Any]]
) -> None:
    """In one piece, containers are changed in place once they are ours; one by one, each time they are copied."""
    before, patch_before = deepcopy(obj), deepcopy(patch)
    whole = attempt(obj, patch)
    step: Any = obj
    for operation in patch:
        step = attempt(deepcopy(step), [deepcopy(operation)])
        if step is None:
            break
    assert is_same(whole, step)
    assert is_same(obj, before)
    assert is_same(patch, patch_before)


def attempt(obj: Any, patch: list[dict[str, Any]]) -> Any:
    try:
        return json_patch.apply(obj, patch)
    except ApiFailure as failure:
        if failure.code != 422:
            raise
        return None


@quick
@given(objects, pointers, values)
def test_what_a_json_patch_adds_it_finds_and_can_take_away(obj: dict[str, Any], path: str, value: Any) -> None:
    added = attempt(obj, [{"op": "add", "path": path, "value": value}])
    if added is None or path.endswith(("/-", "/-1")):
        return
    assert attempt(added, [{"op": "test", "path": path, "value": value}]) is not None
    removed = attempt(added, [{"op": "remove", "path": path}])
    assert removed is not None


def keyed(*fields: str) -> Schema:
    """Returns the shape of an object with one list of maps that merges by name."""
    item = Schema("object")
    item.properties = {"name": Schema("string"), **{field: Schema("string") for field in fields}}
    items = Schema("array")
    items.items, items.patch_merge_key, items.patch_strategies = item, "name", frozenset(["merge"])
    root = Schema("object")
    root.properties = {"items": items, "plain": Schema("object")}
    return root


SCHEMA = keyed("x", "y")
lists = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcde")}, optional={"x": scalars, "y": scalars}),
    max_size=4,
    unique_by=lambda item: item["name"],
)


@quick
@given(lists, lists)
def test_a_strategic_merge_of_a_keyed_list_keeps_every_key_once(live: list[Any], patch: list[Any]) -> None:
    before = deepcopy(live)
    result = strategic.apply({"items": live}, {"items": patch}, SCHEMA)["items"] if live else patch
    names = [item["name"] for item in result]
    assert sorted(names) == sorted({item["name"] for item in live} | {item["name"] for item in patch})
    for item in patch:
        assert item.items() <= next(found for found in result if found["name"] == item["name"]).items()
    wanted = [item["name"] for item in patch]
    assert [name for name in names if name in wanted] == wanted
    assert live == before


@quick
@given(objects, with_nulls)
def test_a_strategic_merge_without_strategies_is_a_merge_patch(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    assert strategic.apply(obj, patch, Schema("object")) == merge_patch.apply(obj, patch)
