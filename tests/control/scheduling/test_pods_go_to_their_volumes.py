"""Claims of pods: volumes that are somewhere, volumes that are made where the pod goes, and claims of which nothing can come."""

from typing import Any

import msgspec
import pytest

from corral.control.scheduling.board import Board
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.scheduling.volume_view import SELECTED_NODE, ClaimView, ClassView, VolumeView
from tests.control.scheduling.scene import board, decide, node, placed, pod, told

NODES = [node("a", labels={"zone": "x"}), node("b", labels={"zone": "y"})]
USING: dict[str, Any] = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
LATER = {"storageClassName": "later"}
BOUND = {"volumeName": "v"}


def claim(spec: Object, phase: str = "Pending", name: str = "data", **metadata: Any) -> Object:
    return {"metadata": {"name": name, "namespace": "ns", **metadata}, "spec": spec, "status": {"phase": phase}}


def with_storage(pods: list[SchedulingPod], *claims: Object, zone: str = "y", is_followed: bool = True) -> Board:
    """Returns a board that knows a volume in a zone, and three classes."""
    there = board(NODES, pods)
    storage = there.reader.storage
    storage.is_followed = is_followed
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}]
    volume = {"metadata": {"name": "v"}, "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}}
    storage.volumes["v"] = msgspec.convert(volume, VolumeView)
    topology = [{"matchLabelExpressions": [{"key": "zone", "values": ["y", "z"]}]}]
    kinds: dict[str, Object] = {
        "now": {},
        "later": {"volumeBindingMode": "WaitForFirstConsumer"},
        "somewhere": {"volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": topology},
        "local": {"volumeBindingMode": "WaitForFirstConsumer", "provisioner": "kubernetes.io/no-provisioner"},
    }
    for name, more in kinds.items():
        kind = {"metadata": {"name": name}, "provisioner": "example.com/disks", **more}
        storage.classes[name] = msgspec.convert(kind, ClassView)
    for one in claims:
        view = msgspec.convert(one, ClaimView)
        storage.claims[ObjectKey("ns", view.metadata.name)] = view
    there.take_storage()
    return there


GOING: dict[str, tuple[Object, str]] = {
    "to its volume": (claim(BOUND, "Bound"), "b"),
    "where its class makes volumes": (claim({"storageClassName": "somewhere"}), "b"),
    "where another pod of the claim was sent": (claim(LATER, annotations={SELECTED_NODE: "b"}), "b"),
}


@pytest.mark.parametrize(("claimed", "where"), GOING.values(), ids=GOING)
def test_a_pod_goes_where_its_volume_can_be_had(claimed: Object, where: str) -> None:
    first = pod("first", nodeSelector={"zone": "x"}, **USING)
    assert placed(with_storage([pod("p", **USING), first], claimed)) == {"p": where}


WAITING: dict[str, tuple[tuple[Object, ...], str]] = {
    "there is none": ((), 'persistentvolumeclaim "data" not found'),
    "it is on its way": ((claim({"storageClassName": "now"}),), "pod has unbound immediate PersistentVolumeClaims"),
    "it has no class": ((claim({}),), "pod has unbound immediate PersistentVolumeClaims"),
    "it chose a volume and does not have it yet": ((claim(BOUND),), "pod has unbound immediate PersistentVolumeClaims"),
    "its volume is gone": (
        (claim({"volumeName": "gone"}, "Bound"),),
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "gone"',
    ),
    "it goes": (
        (claim(BOUND, "Bound", deletionTimestamp="2027-01-15T08:00:00Z"),),
        'persistentvolumeclaim "data" is being deleted',
    ),
    "nobody makes its volumes": ((claim({"storageClassName": "local"}),), "name one in spec.volumeName of the claim"),
}


@pytest.mark.parametrize(("claims", "said"), WAITING.values(), ids=WAITING)
def test_a_pod_waits_while_of_its_claim_nothing_can_come(claims: tuple[Object, ...], said: str) -> None:
    there = with_storage([pod("p", **USING)], *claims)
    assert placed(there) == {}
    assert said in told(there)["p"]


def test_a_pod_goes_as_soon_as_its_claim_has_a_volume() -> None:
    there = with_storage([pod("p", **USING)], claim({"storageClassName": "now"}))
    assert placed(there) == {}
    there.reader.storage.claims[ObjectKey("ns", "data")] = msgspec.convert(claim(BOUND, "Bound"), ClaimView)
    there.take_storage()
    assert placed(there) == {"p": "b"}


def test_a_claim_that_is_made_for_its_pod_is_waited_for() -> None:
    own = pod("p", volumes=[{"name": "data", "ephemeral": {"volumeClaimTemplate": {}}}])
    there = with_storage([own])
    assert placed(there) == {}
    assert 'create the persistentvolumeclaim "p-data"' in told(there)["p"]
    assert placed(with_storage([own], claim(BOUND, "Bound", name="p-data"))) == {"p": "b"}


def test_a_volume_that_is_made_for_its_first_pod_is_made_where_that_is_bound() -> None:
    there = with_storage(
        [pod("p", nodeSelector={"zone": "y"}, **USING), pod("q", nodeSelector={"zone": "x"}, **USING)], claim(LATER)
    )
    first, second = decide(there).decisions
    stored = there.stored(first)
    assert stored is not None
    assert stored.to_choose == (ObjectKey("ns", "data"),)
    chosen = claim(LATER, annotations={SELECTED_NODE: first.node})
    there.reader.storage.claims[ObjectKey("ns", "data")] = msgspec.convert(chosen, ClaimView)
    late = there.stored(second)
    assert late is not None
    assert not late.is_had_on(there.places[second.node].offer)
    assert stored.is_had_on(there.places[first.node].offer)


def test_where_there_are_no_volumes_claims_bind_a_pod_to_nothing() -> None:
    assert set(placed(with_storage([pod("p", **USING)], is_followed=False))) == {"p"}


def test_claims_that_may_not_be_read_are_told() -> None:
    there = board(NODES, [pod("plain")])
    there.reader.storage.is_followed = True
    there.reader.storage.unreadable = lambda: "the scheduler may not read persistentvolumes"
    there.take_pod(None, pod("p", **USING), 0.0)
    assert set(placed(there)) == {"plain"}
    assert told(there) == {"p": "the scheduler may not read persistentvolumes"}
