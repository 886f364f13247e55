"""Rules worked out here and rules worked out by a real server's CEL say the same of whatever comes."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.kinds.training.policies.wording import refusal
from corral.kinds.training.validation import admission_errors_of
from tests.training.manifests import EVERY_KIND, FACTS
from tests.training.validation.conftest import ENFORCED, Judge
from tests.training.validation.rows import good

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

TEXTS = st.sampled_from(["", "a", "A b", 'q"uo\\te', "line\nbreak", "tab\t", "ünï", "x" * 70, "system-node-critical"])
NUMBERS = st.sampled_from([-1, 0, 1, 2, 11, 70_000])
AMOUNTS = st.sampled_from([0, 1, "1", "500m", "1000m", "0.1", "1.0", "2k", "1.5Gi", "1e3", "15e-1", "100n"])
DEVICES = st.sampled_from(["cpu", "nvidia.com/gpu", "amd.com/gpu", "kubernetes.io/x", "b/c"])


def objects(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(required, optional=optional)


def containers_of(kind: str) -> st.SearchStrategy[list[Object]]:
    facts = FACTS[kind]
    port = objects(
        {"containerPort": st.sampled_from([1, 80, 81, 65_535, facts.port, 70_000])},
        {"name": st.sampled_from(["", "a", "b", facts.port_name]), "protocol": st.sampled_from(["TCP", "UDP"])},
    )
    amounts = st.dictionaries(DEVICES, AMOUNTS, max_size=3)
    container = objects(
        {"name": st.sampled_from([facts.container, "a", "b", "c"])},
        {
            "image": st.sampled_from(["", "x"]),
            "ports": st.lists(
                port, max_size=3, unique_by=lambda one: (one["containerPort"], one.get("protocol", "TCP"))
            ),
            "securityContext": st.sampled_from([{}, {"privileged": True}, {"privileged": False}, {"privileged": None}]),
            "resources": objects({}, {"limits": amounts, "requests": amounts}),
        },
    )
    return st.lists(container, max_size=3, unique_by=lambda one: one["name"])


def templates(kind: str) -> st.SearchStrategy[Object]:
    containers = containers_of(kind)
    keys = st.dictionaries(st.sampled_from(["a", "corral.dev/gang", "corral.dev/attempt"]), st.just("x"), max_size=2)
    volumes = [[], [{"name": "a"}, {"name": "b", "hostPath": {"path": "/"}}]]
    pod = objects(
        {"containers": containers},
        {
            "initContainers": containers,
            "volumes": st.sampled_from(volumes),
            "hostNetwork": st.booleans(),
            "hostPID": st.sampled_from([True, False, None]),
            "nodeName": st.sampled_from(["", "n", None]),
            "serviceAccountName": TEXTS,
            "serviceAccount": st.sampled_from(["", "a.b", "A", None]),
            "priorityClassName": TEXTS,
        },
    )
    metadata = objects({}, {"labels": keys, "annotations": keys, "ownerReferences": st.sampled_from([[], [{}]])})
    return objects({"spec": pod}, {"metadata": metadata})


def jobs(kind: str) -> st.SearchStrategy[Object]:
    facts = FACTS[kind]
    replicas = objects({"template": templates(kind)}, {"replicas": st.sampled_from([0, 1, 2, 11, 1000])})
    roles = st.sampled_from([*facts.roles, *map(str.lower, facts.roles), "Boss", 'a"b\\c\nd', "Ärger"])
    gang = objects({}, {"minAvailable": NUMBERS, "priorityClass": TEXTS, "scheduleTimeoutSeconds": NUMBERS})
    policy = objects(
        {}, {"managedBy": st.sampled_from(["", "kubeflow.org/training-operator", 'x"\ny']), "schedulingPolicy": gang}
    )
    usual = st.just(good(kind)["spec"][facts.map_field])
    any_roles = st.dictionaries(roles, replicas, max_size=3)
    mixed = st.builds(lambda given, more: {**given, **more}, usual, st.dictionaries(roles, replicas, max_size=1))
    spec: dict[str, Any] = {facts.map_field: st.one_of(usual, mixed, any_roles)}
    optional: dict[str, Any] = {"runPolicy": policy}
    if kind == "MXJob":
        spec["jobMode"] = st.just("MXTrain")
    if kind in ("PyTorchJob", "PaddleJob"):
        optional["elasticPolicy"] = objects(
            {}, {"minReplicas": NUMBERS, "maxReplicas": NUMBERS, "maxRestarts": NUMBERS, **_rendezvous(kind)}
        )
    names = st.just("job") | st.sampled_from(["job", "1job", "a.b", "j" * 53, "j" * 55, "j" * 64, "1" * 64])
    scopes = st.sampled_from([None, "", "gang", "pod", 'ga"gn'])
    return st.builds(lambda *parts: _job(kind, *parts), names, objects(spec, optional), scopes)


def _rendezvous(kind: str) -> dict[str, Any]:
    return {"nProcPerNode": NUMBERS, "rdzvPort": NUMBERS} if kind == "PyTorchJob" else {}


def _job(kind: str, name: str, spec: Object, scope: str | None) -> Object:
    metadata: Object = {"name": name}
    if scope is not None:
        metadata["annotations"] = {"corral.dev/restart-scope": scope}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_real_server_says_what_the_rules_say(real_judge: Judge, kind: str) -> None:
    agree(real_judge, kind)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_the_embedded_server_says_what_the_rules_say(embedded_judge: Judge, kind: str) -> None:
    agree(embedded_judge, kind)


def agree(judge: Judge, kind: str) -> None:
    @settings(max_examples=50, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(job=jobs(kind), is_guarded=st.booleans())
    def one(job: Object, is_guarded: bool) -> None:
        namespace = judge.guarded if is_guarded else judge.namespace
        said = judge.create(job, namespace=namespace)
        labels = {ENFORCED: "baseline"} if is_guarded else {}
        where = {**job, "metadata": {**job["metadata"], "namespace": namespace}}
        errors = admission_errors_of(where, None, {"metadata": {"labels": labels}})
        if not errors:
            assert said.code == 201, said.message
            return
        assert said.message.partition("is forbidden: ")[2] == refusal(FACTS[kind].singular, errors), said.message

    one()
