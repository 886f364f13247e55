"""What a pod may learn about itself through variables and files: its fields, and the resources of its containers."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from corral.kinds.objects import Object
from corral.kinds.quantities import QuantityError, quantity_text, resource_quantity

_one_of_map = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]", re.DOTALL).fullmatch
_NANO = 10**9
_MILLI = 10**6
_FALLS_BACK = ("cpu", "memory", "ephemeral-storage")
_GO_ESCAPES = {'"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class PodFacts(NamedTuple):
    """A pod, and what only its node knows about it."""

    pod: Object
    pod_ips: tuple[str, ...] = ()
    host_ips: tuple[str, ...] = ()
    allocatable: Mapping[str, str] = {}
    """What the node can give away: the limit of a container that names none."""


class UnknownFieldError(ValueError):
    """A reference names a field or resource that a pod does not have; the message says which."""


def field_value(facts: PodFacts, path: str) -> str:
    """Returns the value of a field of the pod as text; raises UnknownFieldError when there is no such field."""
    found = _one_of_map(path)
    metadata = facts.pod["metadata"]
    if found:
        return str((metadata.get(found[1]) or {}).get(found[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        return _lines_of(metadata.get(path.rpartition(".")[2]) or {})
    if path in ("metadata.name", "metadata.namespace", "metadata.uid"):
        return str(metadata.get(path.rpartition(".")[2], ""))
    if path in ("spec.nodeName", "spec.serviceAccountName"):
        return str(facts.pod["spec"].get(path.rpartition(".")[2]) or "")
    addresses = {"status.podIP": facts.pod_ips[:1], "status.podIPs": facts.pod_ips}
    addresses |= {"status.hostIP": facts.host_ips[:1], "status.hostIPs": facts.host_ips}
    if path in addresses:
        return ",".join(addresses[path])
    raise UnknownFieldError(f"unsupported fieldPath: {path}")


def resource_value(facts: PodFacts, selector: Object, container: str) -> str:
    """Returns an amount of a container's resources in units of the divisor, rounded up.

    A limit that is not set is what the node can give; a request that is not set is nothing, as on a cluster.
    """
    name = selector.get("containerName") or container
    which, _, resource = str(selector.get("resource", "")).partition(".")
    if which not in ("limits", "requests") or not _is_told(resource):
        raise UnknownFieldError(f"unsupported container resource: {selector.get('resource')}")
    amounts = (_container(facts.pod, name).get("resources") or {}).get(which) or {}
    amount = _nanos(amounts.get(resource))
    if amount == 0 and which == "limits" and resource in _FALLS_BACK:
        amount = _nanos(facts.allocatable.get(resource))
    divisor = _nanos(selector.get("divisor")) or _NANO
    # Processors are counted in thousandths, everything else in whole units, also where the divisor says otherwise.
    unit = _MILLI if resource == "cpu" else _NANO
    return str(-(-_units(amount, unit) // _units(divisor, unit)))


def _is_told(resource: str) -> bool:
    return resource in _FALLS_BACK or resource.startswith("hugepages-")


def _units(nanos: int, unit: int) -> int:
    return -(-nanos // unit)


def _nanos(value: Any) -> int:
    try:
        return resource_quantity(quantity_text(value)).nanos
    except QuantityError as error:
        raise UnknownFieldError(f"{value!r} is no quantity: {error}") from error


def _container(pod: Object, name: str) -> Object:
    spec = pod["spec"]
    containers: list[Object] = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for container in containers:
        if container["name"] == name:
            return container
    raise UnknownFieldError(f"container {name} not found")


def _lines_of(values: Mapping[str, str]) -> str:
    return "\n".join(f"{name}={_quoted(values[name])}" for name in sorted(values))


def _quoted(text: str) -> str:
    """Returns the text as Go quotes it; programs that read these files know that form."""
    return '"' + "".join(_GO_ESCAPES.get(character) or _escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if character == "\v":
        return "\\v"
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
