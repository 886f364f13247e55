"""The variables of a container: envFrom, then env, with references to objects, fields, resources and one another."""

import base64
from typing import Any

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.downward import PodFacts
from corral.engine.node.environment.references import references_of
from corral.engine.node.environment.resolution import LONGEST, Resolution, Surroundings, Variable, resolve
from corral.engine.node.fetched import Fetched, Reference
from corral.kinds.objects import Object

Entry = dict[str, Any]


def pod_of(*containers: Object, **spec: Any) -> Object:
    metadata = {
        "name": "train-0",
        "namespace": "team",
        "uid": "u-1",
        "labels": {"app": "digits", "kubernetes.io/part": "x"},
        "annotations": {"note": "it's"},
    }
    return {"metadata": metadata, "spec": {"containers": list(containers), **spec}}


def resolved(
    env: list[Entry] | None = None,
    env_from: list[Entry] | None = None,
    *,
    replaced: dict[str, str] | None = None,
    services: tuple[Object, ...] = (),
    resources: Entry | None = None,
    **spec: Any,
) -> Resolution:
    container = {"name": "main", "env": env or [], "envFrom": env_from or [], "resources": resources or {}}
    facts = PodFacts(
        pod_of(container, nodeName="here", serviceAccountName="robot", **spec),
        ("127.64.0.9", "::1"),
        ("127.0.0.1",),
        {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "1Gi"},
    )
    fetched = Fetched(
        {"settings": {"data": {"RATE": "0.1", "key.with.dots": "d"}}, "empty": {}, "none": {"data": None}},
        {"keys": {"data": {"TOKEN": _b64(b"t0k"), "RAW": _b64(b"\xff\xfe"), "NUL": _b64(b"a\0b")}}},
    )
    return resolve(container, Surroundings(facts, fetched, services), replaced)


def _b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def plain(name: str, value: str) -> Entry:
    return {"name": name, "value": value}


def of_key(name: str, kind: str, source: str, key: str, **more: Any) -> Entry:
    return {"name": name, "valueFrom": {kind: {"name": source, "key": key, **more}}}


def of_field(name: str, path: str) -> Entry:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def of_resource(name: str, resource: str, **more: Any) -> Entry:
    return {"name": name, "valueFrom": {"resourceFieldRef": {"resource": resource, **more}}}


def test_a_variable_refers_to_earlier_ones_only() -> None:
    found = resolved([plain("URL", "$(HOST):1"), plain("HOST", "h"), plain("LATER", "$(HOST):2")])
    assert found.values == {"URL": "$(HOST):1", "HOST": "h", "LATER": "h:2"}


def test_a_variable_that_names_itself_is_left_as_written() -> None:
    assert resolved([plain("P", "$(P):x")]).values == {"P": "$(P):x"}


def test_a_variable_declared_twice_can_add_to_its_first_value() -> None:
    assert resolved([plain("P", "a"), plain("P", "$(P):b")]).values == {"P": "a:b"}


def test_two_dollars_are_one() -> None:
    assert resolved([plain("A", "1"), plain("B", "$$(A)")]).values["B"] == "$(A)"


def test_everything_from_a_config_map_comes_before_env_and_loses_to_it() -> None:
    source = {"configMapRef": {"name": "settings"}, "prefix": "CFG_"}
    found = resolved([plain("CFG_RATE", "0.2"), plain("COPY", "$(CFG_RATE)")], [source])
    assert [one.name for one in found.variables] == ["CFG_RATE", "CFG_key.with.dots", "COPY"]
    assert (found.values["CFG_RATE"], found.values["COPY"]) == ("0.2", "0.2")


def test_a_later_source_wins_over_an_earlier_one() -> None:
    container = {"name": "main", "envFrom": [{"configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}}]}
    fetched = Fetched({"c": {"data": {"RATE": "1"}}}, {"s": {"data": {"RATE": _b64(b"9")}}})
    found = resolve(container, Surroundings(PodFacts(pod_of(container)), fetched))
    assert found.variables == (Variable("RATE", "9", "Secret s"),)


def test_names_that_no_variable_can_have_are_skipped_and_told() -> None:
    container = {"name": "main", "envFrom": [{"configMapRef": {"name": "odd"}, "prefix": "a="}]}
    around = Surroundings(PodFacts(pod_of(container)), Fetched({"odd": {"data": {"y": "1", "x": "2"}}}))
    found = resolve(container, around)
    assert found.variables == ()
    assert found.notes == (
        "Keys [a=x, a=y] from the EnvFrom configmap team/odd were skipped since they are considered invalid "
        "environment variable names.",
    )


@pytest.mark.parametrize("name", ["empty", "none"])
def test_an_empty_config_map_gives_nothing(name: str) -> None:
    assert resolved(env_from=[{"configMapRef": {"name": name}}]).variables == ()


def test_what_is_optional_may_be_missing() -> None:
    env = [
        of_key("A", "configMapKeyRef", "gone", "k", optional=True),
        of_key("B", "configMapKeyRef", "settings", "gone", optional=True),
        of_key("C", "secretKeyRef", "gone", "k", optional=True),
        plain("D", "$(A)"),
    ]
    sources = [{"configMapRef": {"name": "gone", "optional": True}}, {"secretRef": {"name": "no", "optional": True}}]
    assert resolved(env, sources).values == {"D": "$(A)"}


def test_everything_missing_is_told_at_once_in_the_words_of_kubernetes() -> None:
    env = [
        of_key("A", "configMapKeyRef", "lost", "k"),
        of_key("A2", "configMapKeyRef", "lost", "other"),
        of_key("B", "configMapKeyRef", "settings", "gone"),
        of_key("C", "secretKeyRef", "keys", "gone"),
        of_field("D", "spec.nothing"),
        {"name": "E", "valueFrom": {"fileKeyRef": {"key": "k", "path": "p", "volumeName": "v"}}},
    ]
    with pytest.raises(StartRefusedError) as refused:
        resolved(env, [{"secretRef": {"name": "lost"}}])
    assert refused.value.reason == "CreateContainerConfigError"
    assert refused.value.message.split("; ", 5) == [
        'secret "lost" not found',
        'configmap "lost" not found',
        "couldn't find key gone in ConfigMap team/settings",
        "couldn't find key gone in Secret team/keys",
        "variable D: unsupported fieldPath: spec.nothing",
        "variable E: a value from fileKeyRef is not supported on this node; use a ConfigMap or a Secret",
    ]


def test_values_of_keys_are_not_expanded() -> None:
    container = {"name": "m", "env": [plain("A", "1"), of_key("B", "configMapKeyRef", "c", "k")]}
    around = Surroundings(PodFacts(pod_of(container)), Fetched({"c": {"data": {"k": "$(A)"}}}))
    assert resolve(container, around).values["B"] == "$(A)"


def test_bytes_of_a_secret_that_are_no_text_pass_through_unchanged() -> None:
    value = resolved([of_key("RAW", "secretKeyRef", "keys", "RAW")]).values["RAW"]
    assert value.encode(errors="surrogateescape") == b"\xff\xfe"


def test_a_zero_byte_is_refused_by_name() -> None:
    with pytest.raises(StartRefusedError, match=r"variable X .Secret keys. has a zero byte"):
        resolved([of_key("X", "secretKeyRef", "keys", "NUL")])


def test_a_value_too_long_for_the_system_is_refused_by_name() -> None:
    longest = "x" * (LONGEST - len("BIG="))
    assert resolved([plain("BIG", longest)]).values["BIG"] == longest
    with pytest.raises(StartRefusedError, match=r"variable BIG .value. has 131072 bytes.*mount it as a file"):
        resolved([plain("BIG", longest + "x")])


FIELDS = {
    "metadata.name": "train-0",
    "metadata.namespace": "team",
    "metadata.uid": "u-1",
    "metadata.labels['app']": "digits",
    "metadata.labels['kubernetes.io/part']": "x",
    "metadata.labels['gone']": "",
    "metadata.annotations['note']": "it's",
    "spec.nodeName": "here",
    "spec.serviceAccountName": "robot",
    "status.podIP": "127.64.0.9",
    "status.podIPs": "127.64.0.9,::1",
    "status.hostIP": "127.0.0.1",
    "status.hostIPs": "127.0.0.1",
}


@pytest.mark.parametrize(("path", "want"), FIELDS.items(), ids=FIELDS)
def test_fields_of_the_pod_are_told(path: str, want: str) -> None:
    assert resolved([of_field("F", path)]).variables == (Variable("F", want, f"fieldRef {path}"),)


RESOURCES = {
    "a limit in whole processors is rounded up": ({"limits": {"cpu": "1500m"}}, "limits.cpu", {}, "2"),
    "in thousandths": ({"limits": {"cpu": "1500m"}}, "limits.cpu", {"divisor": "1m"}, "1500"),
    "memory in bytes": ({"limits": {"memory": "1Gi"}}, "limits.memory", {}, str(2**30)),
    "memory in Mi": ({"requests": {"memory": "1.5Gi"}}, "requests.memory", {"divisor": "1Mi"}, "1536"),
    "memory rounded up": ({"limits": {"memory": "1"}}, "limits.memory", {"divisor": "1Mi"}, "1"),
    "no limit is what the node can give": ({}, "limits.cpu", {}, "4"),
    "no limit of memory": ({}, "limits.memory", {"divisor": "1Gi"}, "8"),
    "no limit of storage": ({}, "limits.ephemeral-storage", {"divisor": "1Mi"}, "1024"),
    "no request is nothing": ({}, "requests.cpu", {}, "0"),
    "huge pages": ({"limits": {"hugepages-2Mi": "4Mi"}}, "limits.hugepages-2Mi", {}, str(4 * 2**20)),
    "a divisor of nothing is one": ({"limits": {"cpu": "2"}}, "limits.cpu", {"divisor": "0"}, "2"),
    "of a container by name": ({"limits": {"cpu": "3"}}, "limits.cpu", {"containerName": "main"}, "3"),
}


@pytest.mark.parametrize(("resources", "resource", "more", "want"), RESOURCES.values(), ids=RESOURCES)
def test_resources_are_told(resources: Entry, resource: str, more: Entry, want: str) -> None:
    assert resolved([of_resource("R", resource, **more)], resources=resources).values == {"R": want}


@pytest.mark.parametrize(
    ("more", "want"),
    [
        ({"resource": "limits.gold"}, "unsupported container resource: limits.gold"),
        ({"resource": "limits.cpu", "containerName": "x"}, "container x not found"),
        ({"resource": "limits.cpu", "divisor": "many"}, "'many' is no quantity"),
    ],
)
def test_a_resource_that_is_none_is_refused(more: Entry, want: str) -> None:
    with pytest.raises(StartRefusedError, match=want):
        resolved([{"name": "R", "valueFrom": {"resourceFieldRef": more}}])


def test_a_replaced_value_is_seen_by_what_refers_to_it() -> None:
    env = [
        plain("MASTER_ADDR", "job-worker-0"),
        plain("MASTER_PORT", "23456"),
        plain("U", "$(MASTER_ADDR):$(MASTER_PORT)"),
    ]
    found = resolved(env, replaced={"MASTER_ADDR": "127.64.3.4", "MASTER_PORT": "21000"})
    assert found.values == {"MASTER_ADDR": "127.64.3.4", "MASTER_PORT": "21000", "U": "127.64.3.4:21000"}


def test_a_value_that_is_missing_in_the_pod_is_added() -> None:
    assert resolved([plain("A", "a")], replaced={"B": "b"}).values == {"A": "a", "B": "b"}


def test_a_value_from_elsewhere_is_not_replaced() -> None:
    found = resolved([of_field("A", "metadata.name")], replaced={"A": "x"})
    assert found.values == {"A": "train-0"}


def test_references_are_told_before_anything_is_fetched() -> None:
    first = {"name": "i", "env": [of_key("A", "secretKeyRef", "s", "k", optional=True), plain("B", "x")]}
    second = {
        "name": "m",
        "env": [of_key("A", "configMapKeyRef", "c", "k"), of_field("F", "metadata.name")],
        "envFrom": [{"configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}}],
    }
    pod = pod_of(second, initContainers=[first])
    assert references_of(pod) == {
        Reference("Secret", "s", True),
        Reference("Secret", "s", False),
        Reference("ConfigMap", "c", False),
    }
    assert references_of(pod_of({"name": "m"})) == frozenset()
