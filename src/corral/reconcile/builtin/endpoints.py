"""Where a Service's pods are: the Endpoints object, by which headless Services find their members."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corral.kinds.objects import Object, is_deleting, key_of, labels_of, matches_labels, uid_of
from corral.kinds.well_known import ENDPOINTS
from corral.reconcile.builtin.pods import has_ended, is_ready
from corral.reconcile.plan import NOTHING_TO_DO, Create, Delete, Plan, Update

MANAGED_BY = "endpoints.kubernetes.io/managed-by"
HEADLESS = "service.kubernetes.io/headless"
OURS = "endpoint-controller"
_OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_MOST = 1000
"""No more addresses are listed; a reader is told so by an annotation."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A Service, the Endpoints of its name, and the pods of its namespace."""

    service: Object | None
    endpoints: Object | None
    pods: Sequence[Object] = ()


def decide(observed: Observed) -> Plan:
    """Returns the write that makes the Endpoints what they should be."""
    service, present = observed.service, observed.endpoints
    if service is None:
        if present is None or labels_of(present).get(MANAGED_BY) != OURS:
            return NOTHING_TO_DO
        return Plan.of(Delete(ENDPOINTS, key_of(present), uid_of(present)))
    if not selects(service) or is_deleting(service):
        return NOTHING_TO_DO
    subsets, is_cut = _subsets(service, observed.pods)
    labels = {name: value for name, value in labels_of(service).items() if name != HEADLESS} | {MANAGED_BY: OURS}
    if service["spec"].get("clusterIP") == "None":
        labels[HEADLESS] = ""
    annotations = {_OVER_CAPACITY: "truncated"} if is_cut else {}
    if present is None:
        metadata: Object = {"name": key_of(service).name, "namespace": key_of(service).namespace, "labels": labels}
        made: Object = {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata | _some(annotations=annotations)}
        return Plan.of(Create(ENDPOINTS, made | _some(subsets=subsets)))
    is_marked = _OVER_CAPACITY in (present["metadata"].get("annotations") or {})
    if (present.get("subsets") or []) == subsets and labels_of(present) == labels and is_marked == is_cut:
        return NOTHING_TO_DO
    kept = {name: value for name, value in present.items() if name != "subsets"}
    metadata = {**present["metadata"], "labels": labels, "annotations": annotations}
    return Plan.of(Update(ENDPOINTS, {**kept, "metadata": metadata, **_some(subsets=subsets)}))


def selects(service: Object) -> bool:
    """Whether the Service finds its pods by labels, so that its Endpoints are ours to write."""
    return bool(service["spec"].get("selector")) and service["spec"].get("type") != "ExternalName"


def is_member(service: Object, pod: Object) -> bool:
    """Whether a pod is, or will be, one of the Service's."""
    return selects(service) and matches_labels(labels_of(pod), service["spec"]["selector"])


def _some(**fields: object) -> Object:
    return {name: value for name, value in fields.items() if value}


_Ports = tuple[tuple[str, int, str], ...]


def _subsets(service: Object, pods: Iterable[Object]) -> tuple[list[Object], bool]:
    """Returns addresses grouped by the ports that they offer, in a fixed order, and whether some were left out."""
    publishes_all = bool(service["spec"].get("publishNotReadyAddresses"))
    groups: dict[_Ports, tuple[list[Object], list[Object]]] = {}
    count = 0
    for pod in sorted(pods, key=lambda one: str(one["metadata"]["name"])):
        address = _address(service, pod)
        going = is_deleting(pod) and not publishes_all
        if address is None or going or has_ended(pod) or not is_member(service, pod):
            continue
        ports = _ports(service, pod)
        if ports is None:
            continue
        count += 1
        if count > _MOST:
            return _written(groups), True
        ready, unready = groups.setdefault(ports, ([], []))
        (ready if publishes_all or is_ready(pod) else unready).append(address)
    return _written(groups), False


def _written(groups: dict[_Ports, tuple[list[Object], list[Object]]]) -> list[Object]:
    def port(entry: tuple[str, int, str]) -> Object:
        name, number, protocol = entry
        return {**_some(name=name), "port": number, "protocol": protocol}

    return [
        _some(
            addresses=sorted(ready, key=_ip),
            notReadyAddresses=sorted(unready, key=_ip),
            ports=[port(entry) for entry in ports],
        )
        for ports, (ready, unready) in sorted(groups.items())
    ]


def _ip(address: Object) -> tuple[int, str]:
    return len(address["ip"]), address["ip"]


def _address(service: Object, pod: Object) -> Object | None:
    """Returns where a pod is; one that no node runs is nowhere, whatever it says."""
    ip, spec, metadata = (pod.get("status") or {}).get("podIP"), pod["spec"], pod["metadata"]
    if not ip or not spec.get("nodeName"):
        return None
    address: Object = {"ip": ip, "nodeName": spec["nodeName"]}
    if spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"]:
        address["hostname"] = spec["hostname"]
    target = {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
    return {**address, "targetRef": target}


def _ports(service: Object, pod: Object) -> _Ports | None:
    """Returns the ports that a pod offers, None when it offers none of several; a headless Service may have none."""
    wanted = service["spec"].get("ports") or ()
    found: list[tuple[str, int, str]] = []
    for port in wanted:
        number = _number(port, pod)
        if number is not None:
            found.append((port.get("name") or "", number, port.get("protocol") or "TCP"))
    if wanted and not found:
        return None
    return tuple(sorted(found, key=lambda entry: (entry[1], entry[0])))


def _number(port: Object, pod: Object) -> int | None:
    target, protocol = port.get("targetPort") or port["port"], port.get("protocol") or "TCP"
    if isinstance(target, int):
        return target
    sidecars = [one for one in pod["spec"].get("initContainers") or () if one.get("restartPolicy") == "Always"]
    for container in [*pod["spec"]["containers"], *sidecars]:
        for offered in container.get("ports") or ():
            if offered.get("name") == target and (offered.get("protocol") or "TCP") == protocol:
                return int(offered["containerPort"])
    return None
