"""The order in which pods are given up: each case is a pair of which the first goes before the second."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.reconcile.builtin.pods import dispensable_first
from tests.domain.reconcile.builtin.builders import NOW, names, pod

RUNNING: dict[str, Any] = {"phase": "Running", "node": "one", "ready": True}

PAIRS: dict[str, tuple[Object, Object]] = {
    "not bound before bound": (pod("a"), pod("b", node="one")),
    "pending before running": (pod("a", node="one"), pod("b", "Running", node="one")),
    "unknown before running": (pod("a", "Unknown", node="one"), pod("b", "Running", node="one")),
    "not ready before ready": (pod("a", "Running", node="one"), pod("b", "Running", node="one", ready=True)),
    "cheap before dear": (pod("a", cost=-5, **RUNNING), pod("b", **RUNNING)),
    "a cost that is no number counts as none": (pod("a", cost=-1, **RUNNING), pod("b", cost="many", **RUNNING)),
    "on a crowded node before an empty one": (
        pod("a", **RUNNING),
        pod("b", "Running", node="two", ready=True),
    ),
    "ready for a short time before long": (
        pod("a", ready_since="2027-01-15T07:59:50Z", **RUNNING),
        pod("b", ready_since="2027-01-15T07:00:00Z", **RUNNING),
    ),
    "restarted often before rarely": (pod("a", restarts=7, **RUNNING), pod("b", restarts=1, **RUNNING)),
    "new before old": (
        pod("a", created="2027-01-15T07:59:50Z", **RUNNING),
        pod("b", created="2027-01-15T06:00:00Z", **RUNNING),
    ),
    "being unbound counts more than a high cost": (pod("a", cost=100), pod("b", cost=-100, **RUNNING)),
}


@pytest.mark.parametrize("case", PAIRS)
def test_the_first_goes_before_the_second(case: str) -> None:
    first, second = PAIRS[case]
    crowding = {"one": 5, "two": 1}
    assert names(dispensable_first([second, first], crowding, NOW)) == ["a", "b"]
    assert names(dispensable_first([first, second], crowding, NOW)) == ["a", "b"]


def test_times_of_about_the_same_length_are_equal() -> None:
    pods = [
        pod("x", ready_since="2027-01-15T07:59:00Z", **RUNNING),
        pod("a", ready_since="2027-01-15T07:59:05Z", **RUNNING),
    ]
    assert names(dispensable_first(pods, {}, NOW)) == ["a", "x"]
