"""Where the TensorBoard of a job is found: on this machine, at a port of a node, or through a tunnel."""

import json
from collections.abc import Sequence
from typing import Any, Final

from corral.control.desk.jobs.looking import pods_in
from corral.control.desk.jobs.pod_states import pod_state
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.kinds.nodes import LOOPBACK_PORTS
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.training.label_names import TENSORBOARD
from corral.kinds.well_known import SERVICE
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError

SUFFIX: Final = "-tensorboard"
"""What follows the name of a job in the name of its TensorBoard."""


def tensorboard_of(session: Session, job: Found, pods: Sequence[JobPod]) -> str:
    """Returns where the TensorBoard of a job is, or how to reach it; "" when it has none that we may see."""
    name = job.key.name + SUFFIX
    try:
        service = session.store.get(SERVICE, ObjectKey(job.key.namespace, name))
    except (NotFoundError, ForbiddenError):
        return ""
    hosts = [pod.status.host_ip for pod in pods if pod.status.host_ip]
    boards = pods_in(session.store, Scope(job.key.namespace, labels=f"{TENSORBOARD}={job.key.name}"))
    place = place_of(service, hosts, is_embedded=session.is_embedded)
    trouble = trouble_of(boards)
    return f"{place} ({trouble})" if place and trouble else place


def trouble_of(boards: Sequence[JobPod]) -> str:
    """Returns why nobody answers at the address; "" when somebody does, or when it cannot be told. Pure."""
    if not boards or any(pod.is_ready for pod in boards):
        return ""
    pod = boards[-1]
    return f"it does not run: {pod_state(pod)}; `corral logs {pod.name}` tells more"


def place_of(service: Object, hosts: Sequence[str], *, is_embedded: bool) -> str:
    """Returns the address of a Service; pure."""
    ports: list[dict[str, Any]] = (service.get("spec") or {}).get("ports") or []
    if not ports:
        return ""
    port = ports[0]
    if here := _loopback(service).get(str(port.get("port"))):
        return f"http://127.0.0.1:{here}"
    if is_embedded:
        return "(not yet: it has not started)"
    given = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    for each in given:
        return f"http://{each.get('hostname') or each.get('ip')}:{port.get('port')}"
    if port.get("nodePort") and hosts:
        return f"http://{hosts[0]}:{port['nodePort']}"
    namespace, name = service["metadata"].get("namespace", ""), service["metadata"]["name"]
    number = port.get("port")
    return f"http://127.0.0.1:{number} while this runs: kubectl port-forward -n {namespace} service/{name} {number}"


def _loopback(service: Object) -> dict[str, Any]:
    """Returns the ports of this machine that stand on a Service; what makes no sense is none."""
    written = (service["metadata"].get("annotations") or {}).get(LOOPBACK_PORTS, "")
    try:
        ports = json.loads(written) if written else {}
    except ValueError:
        return {}
    return ports if isinstance(ports, dict) else {}
