"""The arithmetic of rollouts: what the new ReplicaSet gets, what the old ones keep, how a change is shared out."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.reconcile.builtin.deployments.limits import Limits, limits_of
from corral.reconcile.builtin.deployments.sizes import grown, is_being_scaled, rescaled, shrunk
from tests.domain.reconcile.builtin.builders import deployment, replica_set

LIMITS: dict[str, tuple[int, Any, Any, tuple[int, int]]] = {
    "percentages of surge are rounded up and of unavailability down": (10, "25%", "25%", (3, 2)),
    "numbers are taken as they are": (10, 4, 1, (4, 1)),
    "with neither there would be no way forward": (10, 0, 0, (0, 1)),
    "small percentages of few pods allow at least one step": (1, "25%", "25%", (1, 0)),
    "no more can be unavailable than there are": (2, 0, "300%", (0, 2)),
    "nothing is nothing": (0, "25%", "25%", (0, 0)),
}


@pytest.mark.parametrize("case", LIMITS)
def test_limits_become_numbers(case: str) -> None:
    replicas, surge, unavailable, (want_surge, want_unavailable) = LIMITS[case]
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    assert limits_of(deployment(replicas, strategy=rolling)) == Limits(replicas, want_surge, want_unavailable)


def test_recreating_has_no_limits() -> None:
    assert limits_of(deployment(3, strategy={"type": "Recreate"})) == Limits(3, 0, 0)


class Shrink(NamedTuple):
    new: tuple[int, int]
    """Asked for and available."""
    old: tuple[tuple[int, int], ...]
    want: dict[str, int]
    limits: Limits = Limits(10, 2, 2)


SHRINKS: dict[str, Shrink] = {
    "nothing goes while the new pods are not there to replace it": Shrink((4, 0), ((8, 8),), {}),
    "as many go as availability allows": Shrink((2, 0), ((10, 10),), {"old-0": 8}),
    "each new available pod lets an old one go": Shrink((4, 2), ((8, 8),), {"old-0": 6}),
    "unavailable pods go first, wherever they are": Shrink(
        (5, 3), ((3, 3), (4, 0)), {"old-1": 2}, limits=Limits(10, 2, 2)
    ),
    "when all new pods are available the old ones go": Shrink((10, 10), ((1, 1),), {"old-0": 0}),
    "the oldest goes first": Shrink((6, 6), ((3, 3), (3, 3)), {"old-0": 0, "old-1": 2}, limits=Limits(10, 2, 2)),
    "nothing old, nothing to do": Shrink((10, 10), (), {}),
}


@pytest.mark.parametrize("case", SHRINKS)
def test_old_replica_sets_shrink(case: str) -> None:
    scene = SHRINKS[case]
    new = replica_set("new", *scene.new, image="next")
    old = [
        replica_set(f"old-{number}", *counts, created=f"2027-01-0{number + 1}T00:00:00Z")
        for number, counts in enumerate(scene.old)
    ]
    assert shrunk(scene.limits, new, old) == {f"uid-{name}": size for name, size in scene.want.items()}


@given(
    replicas=st.integers(0, 20),
    surge=st.integers(0, 10),
    unavailable=st.integers(0, 10),
    counts=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), max_size=4),
    new=st.tuples(st.integers(0, 20), st.integers(0, 20)),
)
def test_no_step_takes_away_more_than_allowed(
    replicas: int, surge: int, unavailable: int, counts: list[tuple[int, int]], new: tuple[int, int]
) -> None:
    """Available pods never fall below the least by our doing, and the total never rises above the most."""
    limits = Limits(replicas, surge, min(max(unavailable, 0 if surge else 1), replicas))
    made = replica_set("new", new[0], min(new))
    old = [replica_set(f"old-{n}", size, min(size, ready)) for n, (size, ready) in enumerate(counts)]
    sizes = shrunk(limits, made, old)
    ready_before = sum(one["status"]["availableReplicas"] for one in [*old, made])
    lost = sum(
        max(0, one["status"]["availableReplicas"] - sizes.get(one["metadata"]["uid"], one["spec"]["replicas"]))
        for one in old
    )
    assert lost == 0 or ready_before - lost >= limits.least_available
    total = sum(one["spec"]["replicas"] for one in [*old, made])
    after = grown(limits, new[0], total)
    assert after <= max(limits.replicas, 0)
    assert after <= new[0] or total - new[0] + after <= limits.most


class Rescale(NamedTuple):
    limits: Limits
    new: Object | None
    old: tuple[Object, ...]
    want: dict[str, int]


RESCALES: dict[str, Rescale] = {
    "the only one takes it all": Rescale(Limits(7, 2, 2), replica_set("new", 3, 3), (), {"new": 7}),
    "in a rollout each gets its share": Rescale(
        Limits(15, 3, 2),
        replica_set("new", 5, 0, most=13, desired=10),
        (replica_set("old", 8, 8, most=13, desired=10),),
        {"new": 7, "old": 11},
    ),
    "what does not divide goes to the largest": Rescale(
        Limits(11, 0, 1),
        replica_set("new", 3, 3, most=10, desired=10),
        (replica_set("old", 7, 7, most=10, desired=10),),
        {"new": 3, "old": 8},
    ),
    "down to nothing": Rescale(
        Limits(0, 0, 0),
        replica_set("new", 3, 3, most=10, desired=10),
        (replica_set("old", 7, 7, most=10, desired=10),),
        {"new": 0, "old": 0},
    ),
    "a full new one ends the old ones": Rescale(
        Limits(3, 1, 1),
        replica_set("new", 3, 3, desired=3, most=4),
        (replica_set("old", 1, 1, desired=2, most=3),),
        {"old": 0},
    ),
    "without any there is nothing to size": Rescale(Limits(3, 1, 1), None, (), {}),
}


@pytest.mark.parametrize("case", RESCALES)
def test_a_change_of_replicas_is_shared_out(case: str) -> None:
    scene = RESCALES[case]
    sizes = rescaled(scene.limits, scene.new, scene.old, rolling=True, known=0)
    assert sizes == {f"uid-{name}": size for name, size in scene.want.items()}


def test_a_change_of_replicas_is_seen_by_what_was_noted() -> None:
    assert is_being_scaled(Limits(5, 1, 1), [replica_set("a", 3, desired=3)])
    assert not is_being_scaled(Limits(5, 1, 1), [replica_set("a", 3, desired=5), replica_set("b", 0, desired=3)])
    assert not is_being_scaled(Limits(5, 1, 1), [replica_set("a", 3)])
