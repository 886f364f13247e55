"""Laws of field sets and of server-side apply.

Objects are drawn for one schema that has every kind of ownership: struct, map, keyed list, set, atomic list and map.
"""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.apply.applying import Applied, Request, apply
from corral.engine.apiserver.apply.comparison import claimed, compare
from corral.engine.apiserver.apply.field_set import canonical, difference, intersection, paths, union
from corral.engine.apiserver.apply.tracking import FieldTracking, track_update, without_managers
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.schema.structural import compile_schema

quick = settings(max_examples=50, deadline=None)

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "n": {"type": "integer"},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
                "at": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
                "l": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "v": {"type": "string"}, "w": {"type": "string"}},
                    },
                },
                "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "al": {"type": "array", "items": {"type": "string"}},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        }
    },
}
TRACKING = FieldTracking(compile_schema(SCHEMA), "lab.example/v1", "Thing", custom=True)
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"

words = st.sampled_from(["x", "y", "<&>"])
names = st.sampled_from(["p", "q", "r s"])
item = st.fixed_dictionaries({"name": names}, optional={"v": words, "w": words})
specs = st.fixed_dictionaries(
    {},
    optional={
        "a": words,
        "n": st.integers(0, 2),
        "m": st.dictionaries(names, words, min_size=1, max_size=3),
        "at": st.dictionaries(names, words, min_size=1, max_size=2),
        "l": st.lists(item, min_size=1, max_size=3, unique_by=lambda found: found["name"]),
        "s": st.lists(words, min_size=1, max_size=3, unique=True),
        "al": st.lists(words, min_size=1, max_size=2),
        "any": st.dictionaries(
            names, st.one_of(words, st.dictionaries(names, words, min_size=1, max_size=2)), min_size=1
        ),
    },
)


def thing(spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "lab.example/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec}


things = specs.map(thing)


def created(obj: dict[str, Any], manager: str = "creator") -> dict[str, Any]:
    return {**obj, "metadata": {"name": "t", "managedFields": track_update(TRACKING, None, obj, manager, EARLY)}}


def applied(
    live: dict[str, Any] | None, config: dict[str, Any], manager: str, *, force: bool = True, now: str = EARLY
) -> Applied:
    return apply(TRACKING, live, Request(config, manager, force, now))


def fields_by(obj: dict[str, Any], manager: str) -> dict[str, Any]:
    entries = obj["metadata"].get("managedFields", ())
    return next((entry["fieldsV1"] for entry in entries if entry["manager"] == manager), {})


def present(obj: dict[str, Any]) -> set[str]:
    """Returns every path of an object that somebody could own."""
    return set(paths(compare({}, without_managers(obj), TRACKING.schema, whole=False).touched))


field_sets = things.map(lambda obj: claimed(obj, TRACKING.schema))


@quick
@given(field_sets, field_sets)
def test_field_sets_obey_the_algebra_of_sets(left: dict[str, Any], right: dict[str, Any]) -> None:
    ours, theirs = set(paths(left)), set(paths(right))
    assert set(paths(union(left, right))) == ours | theirs
    assert set(paths(intersection(left, right))) == ours & theirs
    assert set(paths(difference(left, right))) == ours - theirs
    assert union(left, right) == union(right, left)
    assert union(difference(left, right), intersection(left, right)) == left


@quick
@given(field_sets, field_sets)
def test_sets_are_canonical_and_survive_the_wire(left: dict[str, Any], right: dict[str, Any]) -> None:
    for found in (left, right, union(left, right), difference(left, right), intersection(left, right)):
        assert repr(canonical(found)) == repr(found)


@quick
@given(things, things)
def test_a_comparison_tells_exactly_what_differs(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = deepcopy((old, new))
    change = compare(old, new, TRACKING.schema, whole=False)
    touched, removed = set(paths(change.touched)), set(paths(change.removed))
    assert not touched & removed
    assert (old == new) or touched or removed or sorted_sets(old) == sorted_sets(new)
    assert removed.isdisjoint(set(paths(claimed(new, TRACKING.schema))) - set(paths(claimed(old, TRACKING.schema))))
    assert (old, new) == before


def sorted_sets(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns the object with the lists whose order nobody owns in one order."""
    spec = dict(obj["spec"])
    spec["l"] = sorted(spec.get("l", []), key=lambda found: str(found["name"]))
    spec["s"] = sorted(spec.get("s", []))
    return spec


@quick
@given(things, things)
def test_applying_twice_is_applying_once(live: dict[str, Any], config: dict[str, Any]) -> None:
    once = applied(created(live), config, "A").object
    twice = applied(once, config, "A", force=False, now=LATE)
    assert not twice.changed
    assert twice.object == once


@quick
@given(things, things)
def test_a_forced_apply_wins_and_owns_what_it_applies(live: dict[str, Any], config: dict[str, Any]) -> None:
    before = deepcopy((live, config))
    result = applied(created(live), config, "A").object
    assert present(config) <= present(result)
    assert compare(config, without_managers(result), TRACKING.schema, whole=False).touched.keys() <= {"f:spec"}
    assert without_managers(applied(result, config, "B", force=False).object) == without_managers(result)
    assert fields_by(result, "A") == {
        key: node for key, node in claimed(config, TRACKING.schema).items() if key == "f:spec"
    }
    assert (live, config) == before


@quick
@given(things, things)
def test_an_apply_without_force_changes_nothing_of_others(live: dict[str, Any], config: dict[str, Any]) -> None:
    """Invariant A9."""
    start = created(live)
    theirs = set(paths(fields_by(start, "creator")))
    forced = applied(start, config, "A").object
    taken = theirs - set(paths(fields_by(forced, "creator")))
    if not taken:
        assert applied(start, config, "A", force=False).object == forced
        return
    with pytest.raises(ApiFailure) as failure:
        applied(start, config, "A", force=False)
    assert failure.value.code == 409
    named = {cause["field"] for cause in (failure.value.details or {})["causes"]}
    # What a map held goes without being named when something that is not a map takes its place.
    assert named <= taken
    assert all(any(path.startswith(known) for known in named) for path in taken)


@quick
@given(things, things, things)
def test_what_a_manager_gives_up_goes_unless_another_owns_it(
    first: dict[str, Any], second: dict[str, Any], other: dict[str, Any]
) -> None:
    start = applied(applied(None, first, "A").object, other, "B").object
    result = applied(start, second, "A").object
    owned = set(paths(fields_by(result, "A"))) | set(paths(fields_by(result, "B")))
    assert owned <= present(result)
    # Everything was applied by A or B, so whatever is still there leads to something that one of them owns.
    for path in present(result):
        assert not path.startswith(".spec.") or any(held.startswith(path) or path.startswith(held) for held in owned)


@quick
@given(things, things)
def test_nobody_owns_a_field_that_is_not_there(old: dict[str, Any], new: dict[str, Any]) -> None:
    start = applied(created(old), old, "A").object
    managers = track_update(TRACKING, start, {**new, "metadata": start["metadata"]}, "updater", LATE)
    for entry in managers:
        assert set(paths(entry["fieldsV1"])) <= present(new)


@quick
@given(things, things)
def test_an_update_owns_what_it_changed_and_only_then_is_noted(old: dict[str, Any], new: dict[str, Any]) -> None:
    start = created(old)
    sent = {**new, "metadata": start["metadata"]}
    managers = track_update(TRACKING, start, sent, "updater", LATE)
    change = compare(old, new, TRACKING.schema, whole=False)
    mine = next((entry for entry in managers if entry["manager"] == "updater"), None)
    assert (mine["fieldsV1"] if mine else {}) == change.touched
    assert mine is None or mine["time"] == LATE
