"""Small decisions: how a namespace ends, who gets an account, whose child is whose, what a selector means."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP, POD, REPLICA_SET
from corral.reconcile.builtin import service_accounts
from corral.reconcile.builtin.claiming import claimed
from corral.reconcile.builtin.label_selectors import is_empty, matches
from corral.reconcile.builtin.namespaces import Survey, decide
from corral.reconcile.plan import LookAgainAfter, SetStatus, Update
from tests.domain.reconcile.builtin.builders import NOW, STAMP, names, owner_of, pod


def namespace(**metadata: Any) -> Object:
    return {
        "metadata": {"name": "ns", "uid": "u", "resourceVersion": "1", "deletionTimestamp": STAMP, **metadata},
        "spec": {"finalizers": ["kubernetes", "example.com/other"]},
        "status": {"phase": "Terminating"},
    }


def test_an_empty_namespace_is_let_go_without_a_word() -> None:
    [update] = decide(Survey(namespace()), NOW)
    assert isinstance(update, Update)
    assert (update.subresource, update.object["spec"]["finalizers"]) == ("finalize", ["example.com/other"])


def test_what_remains_is_told_and_looked_at_again() -> None:
    survey = Survey(namespace(), remaining={CONFIG_MAP: 2}, finalizers={"x/y": 1}, grace=30)
    told, again = decide(survey, NOW)
    assert isinstance(told, SetStatus)
    assert again == LookAgainAfter(15.0)
    found = {one["type"]: one["status"] for one in told.status["conditions"]}
    assert found["NamespaceContentRemaining"] == found["NamespaceFinalizersRemaining"] == "True"
    same = {**survey.namespace, "status": told.status}
    repeated = Survey(same, remaining={CONFIG_MAP: 2}, finalizers={"x/y": 1}, grace=30)
    assert list(decide(repeated, NOW + 60)) == [LookAgainAfter(15.0)]


@pytest.mark.parametrize("doubt", [{"undiscovered": ["metrics.k8s.io/v1"]}, {"failures": ["pods: forbidden"]}])
def test_in_doubt_a_namespace_stays(doubt: dict[str, Any]) -> None:
    plan = decide(Survey(namespace(), **doubt), NOW)
    assert not any(isinstance(action, Update) for action in plan)


def test_a_namespace_that_others_hold_is_told_to_be_empty_first() -> None:
    held = namespace(finalizers=["example.com/held"])
    told, again = decide(Survey(held), NOW)
    assert isinstance(told, SetStatus)
    assert again == LookAgainAfter(0.0)
    [update] = decide(Survey({**held, "status": told.status}), NOW)
    assert isinstance(update, Update)


@pytest.mark.parametrize(
    ("phase", "has_account", "want"), [("Active", False, True), ("Active", True, False), ("Terminating", False, False)]
)
def test_every_namespace_that_stays_has_an_account(phase: str, has_account: bool, want: bool) -> None:
    found = {"metadata": {"name": "ns"}, "status": {"phase": phase}}
    assert bool(service_accounts.decide(found, has_account)) is want


OWNER: Object = {
    "metadata": {"name": "web", "namespace": "ns", "uid": "uid-web"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}},
}
OURS = owner_of(OWNER, "ReplicaSet", "apps/v1")
THEIRS = {**OURS, "uid": "uid-other"}

CLAIMS: dict[str, tuple[Object, bool, int]] = {
    "ours and matching is ours": (pod("a", owner=OURS), True, 0),
    "ours and not matching is released": (pod("a", owner=OURS, labels={}), False, 1),
    "nobody's and matching is adopted": (pod("a"), True, 1),
    "nobody's and not matching is left alone": (pod("a", labels={}), False, 0),
    "somebody else's is left alone": (pod("a", owner=THEIRS), False, 0),
    "one that is going is not adopted": (pod("a", deleting=True), False, 0),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_claims(case: str) -> None:
    child, is_ours, patches = CLAIMS[case]
    claim = claimed(REPLICA_SET, OWNER, POD, [child])
    assert names(claim.ours) == (["a"] if is_ours else [])
    assert len(claim.patches) == patches
    assert all(patch.body["metadata"]["uid"] == "uid-a" for patch in claim.patches)


def test_an_owner_that_is_going_neither_adopts_nor_releases() -> None:
    going = {**OWNER, "metadata": {**OWNER["metadata"], "deletionTimestamp": STAMP}}
    assert claimed(REPLICA_SET, going, POD, [pod("a"), pod("b", owner=OURS, labels={})]).patches == ()


SELECTORS: dict[str, tuple[Object | None, bool]] = {
    "no selector matches nothing": (None, False),
    "an empty one everything": ({}, True),
    "labels must be equal": ({"matchLabels": {"a": "1"}}, True),
    "all of them": ({"matchLabels": {"a": "1", "b": "2"}}, False),
    "one of several values": ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, True),
    "none of several values": ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
    "an absent label is not in": ({"matchExpressions": [{"key": "z", "operator": "NotIn", "values": ["1"]}]}, True),
    "there": ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
    "not there": ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False),
    "an unknown operator matches nothing": ({"matchExpressions": [{"key": "a", "operator": "Near"}]}, False),
}


@pytest.mark.parametrize("case", SELECTORS)
def test_selectors(case: str) -> None:
    selector, want = SELECTORS[case]
    assert matches(selector, {"a": "1"}) is want


def test_only_an_empty_selector_is_empty() -> None:
    assert is_empty({})
    assert not is_empty(None)
    assert not is_empty({"matchLabels": {"a": "1"}})
