"""What the official Python client is made to do: each call of it drives one of its paths and returns what it saw.

A client library reads answers in its own way (types, discovery, watch frames), so these calls find what comparing
HTTP answers does not: an answer that is right in itself and that the library cannot use.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kubernetes
import kubernetes.dynamic
import kubernetes.watch
from kubernetes.client.exceptions import ApiException

# The library's own types forbid what programs do with it (everything may be None), so it is used as programs do.
client: Any = kubernetes.client
config: Any = kubernetes.config
dynamic: Any = kubernetes.dynamic
watch: Any = kubernetes.watch

Call = Callable[[Any, str], Any]


@contextmanager
def official_client(kubeconfig: Path) -> Iterator[Any]:
    """Opens the official client on a kubeconfig."""
    api = config.new_client_from_config(str(kubeconfig))
    api.user_agent = "conformance/1.0 (official client)"
    with api:
        yield api


def typed_objects(api: Any, namespace: str) -> Any:
    """Creates, reads, changes, lists and deletes with the typed classes."""
    core, apps = client.CoreV1Api(api), client.AppsV1Api(api)
    meta = client.V1ObjectMeta(name="typed", labels={"a": "b"})
    told = [core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=meta, data={"k": "1"}))]
    told.append(core.read_namespaced_config_map("typed", namespace))
    told.append(core.patch_namespaced_config_map("typed", namespace, {"data": {"k": "2"}}))
    found = core.read_namespaced_config_map("typed", namespace)
    found.data["k"] = "3"
    told.append(core.replace_namespaced_config_map("typed", namespace, found))
    told.append(core.list_namespaced_config_map(namespace, label_selector="a=b"))
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": "w"}),
        spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="example.com/app:1")]),
    )
    spec = client.V1DeploymentSpec(
        replicas=0, selector=client.V1LabelSelector(match_labels={"app": "w"}), template=template
    )
    deployment = client.V1Deployment(metadata=client.V1ObjectMeta(name="w"), spec=spec)
    told.append(apps.create_namespaced_deployment(namespace, deployment, dry_run="All"))
    told.append(apps.create_namespaced_deployment(namespace, deployment))
    told.append(apps.patch_namespaced_deployment_scale("w", namespace, {"spec": {"replicas": 2}}))
    told.append(apps.read_namespaced_deployment_scale("w", namespace))
    told.append(core.delete_namespaced_config_map("typed", namespace))
    told.append(core.delete_collection_namespaced_config_map(namespace))
    return [api.sanitize_for_serialization(each) for each in told]


def refusals(api: Any, namespace: str) -> Any:
    """Meets the refusals that programs look at."""
    core = client.CoreV1Api(api)
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a"))
    core.create_namespaced_config_map(namespace, body)
    stale = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a", resource_version="1"))
    bad = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="Bad_Name"))
    tries: list[Callable[[], Any]] = [
        lambda: core.read_namespaced_config_map("absent", namespace),
        lambda: core.create_namespaced_config_map(namespace, body),
        lambda: core.replace_namespaced_config_map("a", namespace, stale),
        lambda: core.create_namespaced_config_map(namespace, bad),
        lambda: core.list_namespaced_config_map(namespace, field_selector="nonsense=1"),
        lambda: client.CustomObjectsApi(api).list_namespaced_custom_object("no.example.com", "v1", namespace, "things"),
    ]
    told: list[Any] = []
    for attempt in tries:
        try:
            attempt()
            told.append("no refusal")
        except ApiException as refusal:
            told.append({"status": refusal.status, "reason": refusal.reason, "body": _content(refusal.body)})
    return told


def watched(api: Any, namespace: str) -> Any:
    """Watches from a list's revision while objects come, change and go."""
    core = client.CoreV1Api(api)
    began = core.list_namespaced_config_map(namespace).metadata.resource_version
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="w")))
    core.patch_namespaced_config_map("w", namespace, {"data": {"k": "1"}})
    core.delete_namespaced_config_map("w", namespace)
    told, stream = [], watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, namespace, resource_version=began, timeout_seconds=10):
        told.append([event["type"], event["object"].metadata.name, event["object"].data])
        if event["type"] == "DELETED":
            stream.stop()
    return told


def pages(api: Any, namespace: str) -> Any:
    """Lists page by page."""
    core = client.CoreV1Api(api)
    for name in ("a", "b", "c"):
        core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name)))
    told, token = [], None
    while True:
        page = core.list_namespaced_config_map(namespace, limit=2, _continue=token)
        told.append([[item.metadata.name for item in page.items], page.metadata.remaining_item_count])
        token = page.metadata._continue
        if not token:
            return told


def dynamic_objects(api: Any, namespace: str) -> Any:
    """Finds kinds by discovery and handles their objects without types."""
    with _dynamic(api) as found:
        return _handled(found.resources.get(api_version="v1", kind="ConfigMap"), namespace)


def _handled(maps: Any, namespace: str) -> Any:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": {"k": "1"}}
    told = [maps.create(body=body, namespace=namespace).to_dict()]
    told.append(maps.get(name="dyn", namespace=namespace).to_dict())
    change = {"metadata": {"name": "dyn"}, "data": {"k": "2"}}
    told.append(maps.patch(body=change, namespace=namespace, content_type="application/merge-patch+json").to_dict())
    wanted = {"body": body | {"data": {"k": "3"}}, "field_manager": "dyn", "force_conflicts": True}
    told.append(maps.server_side_apply(namespace=namespace, **wanted).to_dict())
    told.append([item.metadata.name for item in maps.get(namespace=namespace).items])
    events = maps.watch(namespace=namespace, timeout=1, resource_version="0")
    told.append([[event["type"], event["object"].metadata.name] for event in events])
    told.append(maps.delete(name="dyn", namespace=namespace).to_dict())
    return told


def dynamic_discovery(api: Any, _namespace: str) -> Any:
    """Looks kinds up in the ways that programs do."""
    wanted = [
        ("apps/v1", "Deployment"),
        ("batch/v1", "Job"),
        ("v1", "Pod"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ]
    with _dynamic(api) as opened:
        found = [opened.resources.get(api_version=version, kind=kind) for version, kind in wanted]
    return [
        [each.group_version, each.kind, each.name, each.namespaced, sorted(each.verbs), sorted(each.short_names or [])]
        for each in found
    ]


def versions(api: Any, _namespace: str) -> Any:
    """Asks what the server is."""
    told = client.VersionApi(api).get_code()
    return [told.major, told.minor, client.CoreV1Api(api).get_api_resources().group_version]


CALLS: dict[str, Call] = {
    "typed objects": typed_objects,
    "refusals": refusals,
    "a watch": watched,
    "pages": pages,
    "dynamic objects": dynamic_objects,
    "dynamic discovery": dynamic_discovery,
    "versions": versions,
}
"""Every call by the name that stories use."""


@contextmanager
def _dynamic(api: Any) -> Iterator[Any]:
    """Opens the dynamic client; its cache of discovery must not outlive the story, or it would know another server."""
    with TemporaryDirectory() as folder:
        yield dynamic.DynamicClient(api, cache_file=f"{folder}/discovery.json")


def _content(body: str | None) -> Any:
    try:
        return json.loads(body or "")
    except ValueError:
        return body
