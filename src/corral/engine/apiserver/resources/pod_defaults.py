"""Defaults of pods and pod templates, as kube-apiserver stores them.

`default_pod_spec` serves every kind with a template; `default_pod` adds what only real pods get, so that a template
does not change when a later version learns a new default. Every text is replaced by its default when empty, every
number and flag only when absent.
"""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.resources.images import default_pull_policy
from corral.engine.apiserver.resources.resource import Object
from corral.kinds.quantities import parse_quantity, quantity_text, resource_quantity

Fields = dict[str, Any]

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_NUMBERS = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_WITH_MODE = ("secret", "configMap", "downwardAPI", "projected")
_FILE_MODE = 0o644
_DISK_DEFAULTS: dict[str, dict[str, Any]] = {
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}


def default_pod(pod: Object) -> None:
    """Sets the defaults of a pod, in place."""
    spec: Fields = pod.setdefault("spec", {})
    default_pod_spec(spec)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    for listed in ("containers", "initContainers"):
        for container in spec.get(listed) or ():
            _request_what_is_limited(container["resources"])
            if spec.get("hostNetwork"):
                for port in container.get("ports") or ():
                    if not port.get("hostPort"):
                        port["hostPort"] = port.get("containerPort", 0)
    if spec.get("resources"):
        _default_pod_resources(spec)
    status = pod.get("status")
    if status:
        _canonical_status(status)


def default_pod_spec(spec: Fields) -> None:
    """Sets the defaults of a pod specification, in place; also the one inside a template."""
    for field, value in (("dnsPolicy", "ClusterFirst"), ("restartPolicy", "Always")):
        if not spec.get(field):
            spec[field] = value
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = 30
    alias_service_account(spec)
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    for container in spec.get("containers") or ():
        _default_container(container)
    for container in spec.get("initContainers") or ():
        _default_container(container)
    for container in spec.get("ephemeralContainers") or ():
        _default_container(container)
    canonical_resources(spec, "overhead")
    resources = spec.get("resources")
    if resources:
        canonical_resources(resources, "limits", "requests")


def alias_service_account(spec: Fields) -> None:
    """Keeps serviceAccount, the old name of serviceAccountName, equal to it."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def canonical_resources(holder: Fields, *fields: str) -> None:
    """Brings the amounts in maps such as `limits` into the form in which they are stored; raises QuantityError."""
    for field in fields:
        amounts = holder.get(field)
        if amounts:
            for name, value in amounts.items():
                amounts[name] = resource_quantity(value if type(value) is str else quantity_text(value)).text


def qos_class(spec: Mapping[str, Any]) -> str:
    """Returns the quality of service of a pod with these (defaulted) resources."""
    whole = spec.get("resources")
    holders = (
        [whole]
        if whole is not None
        else [c.get("resources") or {} for c in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))]
    )
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    guaranteed = True
    for holder in holders:
        _add_amounts(requests, holder.get("requests"))
        limited = _add_amounts(limits, holder.get("limits"))
        if limited < 2 and (whole is None or holder.get("limits")):
            guaranteed = False
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and requests == limits else "Burstable"


def _add_amounts(total: dict[str, int], amounts: Mapping[str, str] | None) -> int:
    """Adds cpu and memory to the totals and returns how many of the two are above zero."""
    found = 0
    if amounts:
        for name in ("cpu", "memory"):
            text = amounts.get(name)
            if text is not None:
                nanos = resource_quantity(quantity_text(text)).nanos
                if nanos > 0:
                    total[name] = total.get(name, 0) + nanos
                    found += 1
    return found


def _request_what_is_limited(resources: Fields) -> None:
    limits = resources.get("limits")
    if limits:
        resources["requests"] = {**limits, **(resources.get("requests") or {})}


def _default_pod_resources(spec: Fields) -> None:
    resources = spec["resources"]
    limits = resources.get("limits")
    if not limits:
        return
    requests = resources.get("requests") or {}
    for name, limit in limits.items():
        if name not in requests:
            total = sum(_requested(c, name) for c in spec.get("containers") or ())
            requests[name] = resource_quantity(f"{total}n").text if total else limit
    resources["requests"] = requests


def _requested(container: Mapping[str, Any], name: str) -> int:
    text = (container["resources"].get("requests") or {}).get(name)
    return 0 if text is None else resource_quantity(text).nanos


def _default_container(container: Fields) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = default_pull_policy(container.get("image") or "")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    resources = container.get("resources")
    if resources is None:
        container["resources"] = {}
    elif resources:
        canonical_resources(resources, "limits", "requests")
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        source = variable.get("valueFrom")
        if source:
            _default_value_source(source)
    for name in _PROBES:
        probe = container.get(name)
        if probe is not None:
            _default_probe(probe)
    lifecycle = container.get("lifecycle")
    if lifecycle:
        for hook in ("postStart", "preStop"):
            _default_http_get((lifecycle.get(hook) or {}).get("httpGet"))


def _default_probe(probe: Fields) -> None:
    for field, value in _PROBE_NUMBERS.items():
        if not probe.get(field):
            probe[field] = value
    _default_http_get(probe.get("httpGet"))
    grpc = probe.get("grpc")
    if grpc is not None and grpc.get("service") is None:
        grpc["service"] = ""


def _default_http_get(action: Fields | None) -> None:
    if action is not None:
        if not action.get("path"):
            action["path"] = "/"
        if not action.get("scheme"):
            action["scheme"] = "HTTP"


def _default_value_source(source: Fields) -> None:
    """Completes `fieldRef` and its siblings, in env and in downward API files."""
    field = source.get("fieldRef")
    if field is not None and not field.get("apiVersion"):
        field["apiVersion"] = "v1"
    resource = source.get("resourceFieldRef")
    if resource is not None:
        resource["divisor"] = parse_quantity(quantity_text(resource.get("divisor"))).text
    key = source.get("fileKeyRef")
    if key is not None and key.get("optional") is None:
        key["optional"] = False


def _default_volume(volume: Fields) -> None:
    sources = [field for field, value in volume.items() if field != "name" and value is not None]
    if not sources:
        volume["emptyDir"] = {}
        return
    for kind in sources:
        source = volume[kind]
        if kind in _WITH_MODE:
            if source.get("defaultMode") is None:
                source["defaultMode"] = _FILE_MODE
            _default_volume_items(source)
        elif kind == "emptyDir":
            if source.get("sizeLimit") is not None:
                source["sizeLimit"] = parse_quantity(quantity_text(source["sizeLimit"])).text
        elif kind == "hostPath":
            if source.get("type") is None:
                source["type"] = ""
        elif kind == "image":
            if not source.get("pullPolicy"):
                source["pullPolicy"] = default_pull_policy(source.get("reference") or "")
        elif kind == "ephemeral":
            _default_claim_template(source.get("volumeClaimTemplate"))
        elif kind in _DISK_DEFAULTS:
            for field, value in _DISK_DEFAULTS[kind].items():
                if source.get(field) in (None, ""):
                    source[field] = value


def _default_volume_items(source: Fields) -> None:
    """Completes the files of a downward API volume, alone or as a part of a projected one."""
    for file in source.get("items") or ():
        _default_value_source(file)
    for part in source.get("sources") or ():
        for file in (part.get("downwardAPI") or {}).get("items") or ():
            _default_value_source(file)
        token = part.get("serviceAccountToken")
        if token is not None and token.get("expirationSeconds") is None:
            token["expirationSeconds"] = 3600


def _default_claim_template(template: Fields | None) -> None:
    if template is not None:
        spec = template.setdefault("spec", {})
        if spec.get("volumeMode") is None:
            spec["volumeMode"] = "Filesystem"
        canonical_resources(spec.setdefault("resources", {}), "limits", "requests")


def _canonical_status(status: Fields) -> None:
    for listed in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(listed) or ():
            canonical_resources(container, "allocatedResources")
            canonical_resources(container.get("resources") or {}, "limits", "requests")
