"""What a framework has told a pod, told once more with the addresses of this machine.

The operator wrote the addresses of a cluster. The same functions of `corral.reconcile.frameworks` are called again here, once
as the operator called them and once with loopback addresses; a variable is replaced exactly where the pod still holds what
the operator wrote. What the user changed, or what the job says otherwise by now, is left to the translation of text.
"""

from collections.abc import Mapping
from typing import NamedTuple

from corral.engine.node.addressing.loopback import LoopbackAddressing, Ports, ServicePort, WantedAddresses
from corral.engine.node.addressing.torch_meeting import meeting_settings
from corral.kinds.objects import Object, labels_of
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.mpi import MPI_JOB
from corral.kinds.training.reading import UnreadableJobError, read_job
from corral.reconcile.frameworks.addressing import Addressing, ClusterAddressing
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.training.labels import REPLICA_INDEX, REPLICA_TYPE

Values = dict[str, dict[str, str]]
"""By container and variable: what it is to hold on this machine."""


class Membership(NamedTuple):
    """Which pod of which job."""

    job: TrainingJob
    place: Place


def membership_of(pod: Object, job: Object) -> Membership | None:
    """Returns the place of a pod in its training job; None when it has none there, as pods of another framework's make.

    Pods of MPI jobs have none: they are told no addresses, their launcher finds hosts in a file.
    """
    labels = labels_of(pod)
    try:
        read = read_job(job)
    except UnreadableJobError:
        return None
    if read.kind == MPI_JOB.kind:
        return None
    role = next((one for one in read.roles if one.lower() == labels.get(REPLICA_TYPE)), None)
    index = labels.get(REPLICA_INDEX, "")
    return Membership(read, Place(role, int(index))) if role and index.isdecimal() else None


def wanted_by(member: Membership) -> frozenset[ServicePort]:
    """Returns every address that the framework tells this pod."""
    listening = WantedAddresses(member.job.namespace)
    _told(member, listening)
    return frozenset(listening.wanted)


def values_here(pod: Object, member: Membership, ports: Ports, domain: str = "") -> Values:
    """Returns the variables to replace; UnknownServiceError when `ports` lacks one of `wanted_by`.

    `domain` is the cluster domain that the operator was given, if any.
    """
    before = _told(member, ClusterAddressing(domain))
    after = _told(member, LoopbackAddressing(member.job.namespace, ports))
    changed = {name: value for name, value in after.items() if name in before and before[name] != value}
    framework = framework_of(member.job.facts)
    found = {}
    for container in framework.reached(pod["spec"].get("containers") or []):
        held = _plain(container)
        kept = {name: changed[name] for name, value in held.items() if name in changed and value == before[name]}
        found[container["name"]] = kept | meeting_settings(before, held, pod["metadata"]["name"])
    return {container: values for container, values in found.items() if values}


def _told(member: Membership, addressing: Addressing) -> Mapping[str, str]:
    """Returns the plain variables that the framework tells; a reference to a field is resolved by the node anyway."""
    variables = framework_of(member.job.facts).environment(member.job, member.place, addressing)
    return {one["name"]: one["value"] for one in variables if "value" in one}


def _plain(container: Object) -> Mapping[str, str]:
    """Returns the variables of a container that count, without those that refer to something; the last of a name wins."""
    last = {one["name"]: one for one in container.get("env") or ()}
    return {name: one.get("value") or "" for name, one in last.items() if "valueFrom" not in one}
