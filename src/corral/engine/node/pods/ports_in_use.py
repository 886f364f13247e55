"""Ports that a container wants for itself, and others have.

Containers of a cluster have every port for themselves; processes of one machine share them. A port of the machine that a
pod asks for by `hostPort` must be free before it starts. For any other the container starts, since what it declares says
little about what it does, and people are told whom it will meet.
"""

from collections.abc import Iterator, Mapping

from corral.engine.node.addressing.ports import can_listen
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import MARK
from corral.engine.node.machine.listeners import Listener, listener_on
from corral.engine.node.machine.processes import variable_of
from corral.kinds.objects import Object


def refuse_taken_ports(pod: Object, container: Object) -> None:
    """Raises StartRefusedError when a port of the machine that the container asks for is taken by somebody else."""
    for port in container.get("ports") or ():
        holder = _stranger_on(int(port.get("hostPort") or 0), pod) if _is_tcp(port) else ""
        if holder:
            message = f"hostPort {port['hostPort']} is in use on this machine by {holder}"
            raise StartRefusedError("CreateContainerError", message)


def notes_on_taken_ports(pod: Object, container: Object, own_ports: Mapping[int, int]) -> Iterator[str]:
    """Yields a sentence for each port that the container declares and cannot have; ports it was given others for are left out."""
    for port in container.get("ports") or ():
        number = int(port["containerPort"])
        holder = _stranger_on(number, pod) if _is_tcp(port) and number not in own_ports else ""
        if holder:
            yield f"port {number} is in use on this machine by {holder}; container {container['name']} cannot listen on it"


def foreign_ports(own_ports: Mapping[int, int]) -> list[int]:
    """Returns the loopback ports of a pod that a program has which is no container; several pods may share one."""
    found = {port: _listener(port) for port in own_ports.values()}
    return [port for port, listener in found.items() if listener is not None and not _owner(listener)]


def _is_tcp(port: Object) -> bool:
    return (port.get("protocol") or "TCP") == "TCP"


def _stranger_on(port: int, pod: Object) -> str:
    """Returns who has a port, nothing when it is free or a container of this very pod has it."""
    found = _listener(port) if port else None
    return "" if found is None or _owner(found) == pod["metadata"]["uid"] else str(found)


def _listener(port: int) -> Listener | None:
    return None if can_listen(port) else listener_on(port) or Listener()


def _owner(found: Listener) -> str:
    """Returns the uid of the pod whose container listens, nothing when it is no container."""
    return variable_of(found.pid, MARK).partition("/")[0] if found.pid else ""
