"""The levels of a pod template that people write by hand are closed: all that Kubernetes knows is there, all else is told."""

import json
from typing import Any

import pytest

from corral.engine.apiserver.schema.builtin import META, raw_definition
from corral.kinds.objects import Object
from corral.kinds.training.definitions.schemas import schema_of
from corral.kinds.training.pod_template import PodTemplate
from tests.training.definitions.served_kinds import Served
from tests.training.manifests import EVERY_KIND, FACTS, container, manifest, role

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

CORE = "io.k8s.api.core.v1."
POD = ("spec",)
CONTAINER = (*POD, "containers")
LEVELS: dict[tuple[str, ...], str] = {
    (): f"{CORE}PodTemplateSpec",
    ("metadata",): f"{META}ObjectMeta",
    POD: f"{CORE}PodSpec",
    CONTAINER: f"{CORE}Container",
    (*POD, "initContainers"): f"{CORE}Container",
    (*CONTAINER, "env"): f"{CORE}EnvVar",
    (*CONTAINER, "ports"): f"{CORE}ContainerPort",
    (*CONTAINER, "volumeMounts"): f"{CORE}VolumeMount",
    (*CONTAINER, "resources"): f"{CORE}ResourceRequirements",
    (*POD, "resources"): f"{CORE}ResourceRequirements",
    (*POD, "volumes"): f"{CORE}Volume",
    (*POD, "tolerations"): f"{CORE}Toleration",
    (*POD, "imagePullSecrets"): f"{CORE}LocalObjectReference",
}


def level(path: tuple[str, ...]) -> Any:
    found: Any = schema_of(PodTemplate)
    for part in path:
        found = found["properties"][part]
        found = found.get("items", found)
    return found


@pytest.mark.parametrize("path", LEVELS, ids=lambda path: ".".join(path) or "template")
def test_every_field_that_kubernetes_knows_is_there_and_no_other(path: tuple[str, ...]) -> None:
    described, known = level(path), raw_definition(LEVELS[path])
    assert set(described["properties"]) == set(known["properties"])
    assert "x-kubernetes-preserve-unknown-fields" not in described


@pytest.mark.parametrize("path", LEVELS, ids=lambda path: ".".join(path) or "template")
def test_plain_fields_have_the_type_that_they_have_in_a_pod(path: tuple[str, ...]) -> None:
    known = raw_definition(LEVELS[path])["properties"]
    for name, described in level(path)["properties"].items():
        if "type" in described:  # some are left open: early manifests, and what a rule of ours answers better
            assert described["type"] == known[name].get(
                "type", "object" if "Time" not in str(known[name]) else "string"
            )


def spoilt(kind: str, slip: str) -> tuple[Object, str]:
    """Returns a job with one slip of the pen, and its path."""
    trains = container(kind, env=[{"name": "A", "value": "b"}], resources={"limits": {"cpu": 1}})
    trains |= {"ports": [{"containerPort": 80}], "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    pod: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [trains], "volumes": [{"name": "v"}]}}
    *way, field = slip.replace("[0]", ".0").split(".")
    found: Any = pod
    for part in way:
        found = found[int(part)] if part == "0" else found[part]
    found[field] = "x"
    job = manifest(kind, "slip")
    name = next(iter(job["spec"][FACTS[kind].map_field]))
    job["spec"][FACTS[kind].map_field][name] = role(kind, pod=pod)
    return job, f"spec.{FACTS[kind].map_field}.{name}.template.{slip}"


SLIPS = (
    "speck",
    "metadata.lables",
    "spec.nodeSelektor",
    "spec.volumes[0].persistentVolumeClam",
    "spec.containers[0].imagee",
    "spec.containers[0].env[0].vaule",
    "spec.containers[0].ports[0].hostPrt",
    "spec.containers[0].volumeMounts[0].readonly",
    "spec.containers[0].resources.limit",
)


@pytest.mark.parametrize("slip", SLIPS)
def test_kubectl_refuses_a_slip_of_the_pen(served: Served, slip: str) -> None:
    job, path = spoilt("PyTorchJob", slip)
    said = served.kubectl.refusal("create", f"--namespace={served.namespace}", "--filename=-", given=json.dumps(job))
    assert f'unknown field "{path}"' in said


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_is_as_strict(served: Served, kind: str) -> None:
    job, path = spoilt(kind, "spec.containers[0].imagee")
    said = served.kubectl.refusal("apply", f"--namespace={served.namespace}", "--filename=-", given=json.dumps(job))
    assert f'unknown field "{path}"' in said


def test_what_tools_write_into_templates_is_taken(served: Served) -> None:
    job, _ = spoilt("TFJob", "metadata.name")
    worker = job["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    worker["metadata"] |= {"creationTimestamp": None, "generateName": "x-"}
    worker["spec"]["containers"][0] |= {"resources": {}, "terminationMessagePath": "/dev/termination-log", "tty": None}
    served.kubectl("create", f"--namespace={served.namespace}", "--filename=-", given=json.dumps(job))
