"""Finds pods of this node on its disk: for programs that join them, which are started often and must know nothing else.

Standard library only, and little of it. The folder of the node is told to every container in a variable.
"""

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from corral.engine.node.containers.record import Run, adopt, read_ending
from corral.engine.node.folder import NodeFolder

FOLDER_VARIABLE = "CORRAL_NODE_FOLDER"
NAMESPACE_VARIABLE = "CORRAL_NAMESPACE"

DOOR = "corral.engine.node.mpi.door"
"""The module that a worker runs while it waits for commands."""

_JOB_NAME = "training.kubeflow.org/job-name"
_JOB_ROLE = "training.kubeflow.org/job-role"
DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


class KnownPod(NamedTuple):
    """A pod as it stands in the node's folder."""

    uid: str
    namespace: str
    name: str
    hostname: str
    subdomain: str
    containers: tuple[str, ...]
    """As far as they are known, in the order of the spec, the one that is meant by default first."""


class HostName(NamedTuple):
    """What a host name of a cluster says; parts that it leaves out are empty."""

    host: str
    subdomain: str = ""
    namespace: str = ""


def parsed_host(text: str) -> HostName:
    """Returns the parts of `pod`, `pod.subdomain` or `pod.subdomain.namespace.svc...`; `pod.namespace.svc` as well."""
    labels = text.rpartition("@")[2].rstrip(".").split(".")
    match labels:
        case [host, namespace, "svc", *_]:
            return HostName(host, "", namespace)
        case [host, subdomain, namespace, *_]:
            return HostName(host, subdomain, namespace)
        case [host, subdomain]:
            return HostName(host, subdomain)
    return HostName(labels[0])


def hosts_in(hostfile: str) -> list[str]:
    """Returns the hosts of an MPI host file in either of its forms, without the number of their slots."""
    lines = (line.partition("#")[0].split() for line in hostfile.splitlines())
    return list(dict.fromkeys(words[0].partition(":")[0] for words in lines if words))


class PodsOnDisk:
    """The pods that the node knows. What is kept of a pod never changes, so that each is read once, however often one looks."""

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder
        self._known: dict[str, KnownPod] = {}

    def look(self) -> list[KnownPod]:
        """Returns the pods of this moment; those that are just being made or removed are left out."""
        place = self._folder.pods
        uids = sorted(os.listdir(place)) if os.path.isdir(place) else []
        found = ((uid, self._known.get(uid) or self._read(uid)) for uid in uids)
        self._known = {uid: pod for uid, pod in found if pod is not None}
        return list(self._known.values())

    def _read(self, uid: str) -> KnownPod | None:
        try:
            with open(os.path.join(self._folder.pod(uid), "pod.json"), "rb") as file:
                return _read(uid, json.load(file))
        except (OSError, ValueError, KeyError):
            return None


def _read(uid: str, document: dict[str, Any]) -> KnownPod:
    metadata, spec = document["metadata"], document.get("spec") or {}
    labels, notes = metadata.get("labels") or {}, metadata.get("annotations") or {}
    name, job = str(metadata["name"]), labels.get(_JOB_NAME, "")
    # The pod of a launcher Job has a name with a random end, but is known to the others by a fixed one.
    hostname = f"{job}-launcher" if job and labels.get(_JOB_ROLE) == "launcher" else name
    containers = [str(one["name"]) for one in spec.get("containers") or ()]
    containers.sort(key=lambda one: one != notes.get(DEFAULT_CONTAINER))
    return KnownPod(
        uid=uid,
        namespace=str(metadata.get("namespace", "")),
        name=name,
        hostname=str(spec.get("hostname") or hostname),
        subdomain=str(spec.get("subdomain") or job),
        containers=tuple(containers),
    )


def pods_named(pods: Iterable[KnownPod], namespace: str, name: str) -> list[KnownPod]:
    """Returns the pods of a name; there may be two while one is being ended and its successor is there."""
    return [pod for pod in pods if (pod.namespace, pod.name) == (namespace, name)]


def pods_at(pods: Iterable[KnownPod], namespace: str, host: HostName) -> list[KnownPod]:
    """Returns the pods that a host name means to a pod of a namespace."""
    return [
        pod
        for pod in pods
        if pod.namespace == (host.namespace or namespace)
        and host.host in (pod.hostname, pod.name)
        and host.subdomain in ("", pod.subdomain)
    ]


def running_container(folder: NodeFolder, pods: Sequence[KnownPod], container: str = "") -> Run | None:
    """Returns the run to join, None while nothing runs.

    Without a name the pod's default container is meant; where that is not known, any that runs, and first of all one that
    waits for commands.
    """
    for pod in pods:
        wanted = (container,) if container else pod.containers[:1] or _all_containers(folder, pod.uid)
        latest = (_latest_run(folder, pod.uid, name) for name in wanted)
        running = [run for run in latest if run is not None and run.is_running() and read_ending(run.folder) is None]
        if running:
            return next((run for run in running if is_door(run.argv)), running[0])
    return None


def is_door(argv: Sequence[str]) -> bool:
    """Tells whether a run is that of a program that waits for commands, by what it was started with."""
    return any(DOOR in word for word in argv)


def _all_containers(folder: NodeFolder, uid: str) -> tuple[str, ...]:
    place = os.path.join(folder.pod(uid), "containers")
    return tuple(sorted(os.listdir(place))) if os.path.isdir(place) else ()


def _latest_run(folder: NodeFolder, uid: str, container: str) -> Run | None:
    place = folder.container(uid, container)
    numbers = [int(one) for one in os.listdir(place) if one.isdigit()] if os.path.isdir(place) else []
    return adopt(folder.run(uid, container, max(numbers))) if numbers else None
