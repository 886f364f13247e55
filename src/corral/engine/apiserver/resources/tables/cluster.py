"""Rows of the kinds around workloads: namespaces, nodes, services, configuration, events, claims, access."""

from collections.abc import Callable, Iterable
from typing import Any

from corral.engine.apiserver.resources.events import as_core_event
from corral.engine.apiserver.resources.resource import Object, Printer
from corral.engine.apiserver.resources.tables.ages import age
from corral.engine.apiserver.resources.tables.columns import columns
from corral.engine.apiserver.resources.tables.selector_text import labels_text

_ROLE_PREFIX = "node-role.kubernetes.io/"
_MODES = (("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP"))
_SHOWN_ENDPOINTS = 3


def _named(*notes: str, cells: Callable[[Object], Iterable[Any]]) -> Printer:
    """Makes the printer of a kind whose row is its name, some cells, and its age; wide columns follow the age."""
    shown = columns("Name", *notes)
    before_age = next(i for i, column in enumerate(shown) if column.name == "Age")

    def row(obj: Object, now: float) -> list[Any]:
        metadata = obj["metadata"]
        found = [metadata.get("name", ""), *cells(obj)]
        found.insert(before_age, age(metadata.get("creationTimestamp"), now))
        return found

    return Printer(shown, row)


def _service(obj: Object) -> list[Any]:
    spec = obj.get("spec") or {}
    addresses = spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else [])
    return [
        spec.get("type", ""),
        addresses[0] if addresses else "<none>",
        _external_address(spec, obj.get("status") or {}),
        ",".join(_port(port) for port in spec.get("ports") or ()) or "<none>",
        labels_text(spec.get("selector")),
    ]


def _port(port: dict[str, Any]) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node_port}/{port.get('protocol', 'TCP')}"


def _external_address(spec: dict[str, Any], status: dict[str, Any]) -> str:
    given = list(spec.get("externalIPs") or ())
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return ",".join(given) or "<none>"
        case "LoadBalancer":
            points = (status.get("loadBalancer") or {}).get("ingress") or ()
            balanced = sorted({p.get("ip") or p.get("hostname") or "" for p in points} - {""})
            return ",".join(balanced + given) or "<pending>"
        case "ExternalName":
            return str(spec.get("externalName", ""))
    return "<unknown>"


def _endpoints(obj: Object) -> list[Any]:
    subsets = obj.get("subsets") or ()
    if not subsets:
        return ["<none>"]
    found: list[str] = []
    for subset in subsets:
        hosts = [address["ip"] for address in subset.get("addresses") or ()]
        ports = subset.get("ports") or ()
        found += [_joined(host, port["port"]) for port in ports for host in hosts] if ports else hosts
    more = len(found) - _SHOWN_ENDPOINTS
    return [",".join(found[:_SHOWN_ENDPOINTS]) + (f" + {more} more..." if more > 0 else "")]


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _node(obj: Object) -> list[Any]:
    status = obj.get("status") or {}
    ready = {c["type"]: c.get("status") for c in status.get("conditions") or ()}.get("Ready")
    words = ["Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"]
    if (obj.get("spec") or {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    info = status.get("nodeInfo") or {}
    addresses: dict[str, str] = {}
    for address in status.get("addresses") or ():
        addresses.setdefault(address["type"], address["address"])
    return [
        ",".join(words),
        ",".join(_roles(obj["metadata"].get("labels") or {})) or "<none>",
        info.get("kubeletVersion", ""),
        addresses.get("InternalIP", "<none>"),
        addresses.get("ExternalIP", "<none>"),
        *(info.get(field) or "<unknown>" for field in ("osImage", "kernelVersion", "containerRuntimeVersion")),
    ]


def _roles(labels: dict[str, str]) -> list[str]:
    found = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    found.add(labels.get("kubernetes.io/role", ""))
    return sorted(found - {""})


def _claim(obj: Object) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    phase = "Terminating" if metadata.get("deletionTimestamp") else status.get("phase", "")
    volume = spec.get("volumeName", "")
    modes = status.get("accessModes") or ()
    class_name = (metadata.get("annotations") or {}).get("volume.beta.kubernetes.io/storage-class")
    return [
        phase,
        volume,
        str((status.get("capacity") or {}).get("storage", "0")) if volume else "",
        ",".join(short for mode, short in _MODES if mode in modes) if volume else "",
        spec.get("storageClassName", "") if class_name is None else class_name,
        spec.get("volumeAttributesClassName") or "<unset>",
        spec.get("volumeMode") or "<unset>",
    ]


def _binding(obj: Object) -> list[Any]:
    role, subjects = obj.get("roleRef") or {}, obj.get("subjects") or ()
    accounts = [f"{s.get('namespace', '')}/{s['name']}" for s in subjects if s["kind"] == "ServiceAccount"]
    named = [", ".join(s["name"] for s in subjects if s["kind"] == kind) for kind in ("User", "Group")]
    return [f"{role.get('kind', '')}/{role.get('name', '')}", *named, ", ".join(accounts)]


def _event(obj: Object, now: float) -> list[Any]:
    event = as_core_event(obj)
    first = age(event.get("firstTimestamp") or event.get("eventTime"), now)
    last = age(event["lastTimestamp"], now) if event.get("lastTimestamp") else first
    count, series = event.get("count") or 1, event.get("series")
    if series is not None:
        last, count = age(series.get("lastObservedTime"), now), series.get("count", 0)
    about, source = event.get("involvedObject") or {}, event.get("source") or {}
    kind, name = about.get("kind", "").lower(), about.get("name")
    speaker = source.get("component") or event.get("reportingComponent") or ""
    place = source.get("host") or event.get("reportingInstance")
    return [
        last,
        event.get("type", ""),
        event.get("reason", ""),
        f"{kind}/{name}" if name else kind,
        about.get("fieldPath", ""),
        f"{speaker}, {place}" if place else speaker,
        event.get("message", "").strip(),
        first,
        count,
        event["metadata"].get("name", ""),
    ]


NAMESPACE = _named("Status", "Age", cells=lambda obj: [(obj.get("status") or {}).get("phase", "")])
SERVICE = _named("Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*", cells=_service)
ENDPOINTS = _named("Endpoints", "Age", cells=_endpoints)
NODE = _named(
    "Status", "Roles", "Age", "Version", "Internal-IP*", "External-IP*", "OS-Image*", "Kernel-Version*",
    "Container-Runtime*", cells=_node,
)  # fmt: skip
CONFIG_MAP = _named("Data", "Age", cells=lambda obj: [len(obj.get("data") or ()) + len(obj.get("binaryData") or ())])
SECRET = _named("Type", "Data", "Age", cells=lambda obj: [obj.get("type", ""), len(obj.get("data") or ())])
SERVICE_ACCOUNT = _named("Secrets", "Age", cells=lambda obj: [len(obj.get("secrets") or ())])
CLAIM = _named(
    "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age", "VolumeMode*",
    cells=_claim,
)  # fmt: skip
LEASE = _named("Holder", "Age", cells=lambda obj: [(obj.get("spec") or {}).get("holderIdentity") or ""])
PRIORITY_CLASS = _named(
    "Value:integer", "Global-Default:boolean", "Age", "PreemptionPolicy",
    cells=lambda obj: [obj.get("value", 0), bool(obj.get("globalDefault")), obj.get("preemptionPolicy", "")],
)  # fmt: skip
BINDING = _named("Role", "Age", "Users*", "Groups*", "ServiceAccounts*", cells=_binding)
EVENT = Printer(
    columns(
        "Last Seen", "Type", "Reason", "Object", "Subobject*", "Source*", "Message", "First Seen*", "Count*", "Name*"
    ),
    _event,
)
