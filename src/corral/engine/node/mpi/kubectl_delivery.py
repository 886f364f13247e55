"""The init container of an MPI launcher: brings `kubectl` to where the job expects it, and waits until the workers run.

It stands in for the image that does this on a cluster. It waits as long as the workers need: they may stand in a queue for
hours, and a launcher that gives up would fail its job.
"""

import os
import sys
import time
from collections.abc import Sequence

from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.pod_finding import (
    FOLDER_VARIABLE,
    NAMESPACE_VARIABLE,
    KnownPod,
    PodsOnDisk,
    hosts_in,
    parsed_host,
    pods_at,
    running_container,
)
from corral.engine.node.mpi.stand_ins import install

TARGET_VARIABLE, HOSTFILE_VARIABLE = "TARGET_DIR", "CORRAL_MPI_HOSTS"
DEFAULT_TARGET, DEFAULT_HOSTFILE = "/opt/kube", "/etc/mpi/hostfile"
_LOOK_EVERY, _LOOK_AT_LEAST_EVERY = 0.1, 2.0
_FIRST_WORD_AFTER = 2.0
_LONGEST_SILENCE = 60.0


def main() -> int:
    """Delivers, waits, and returns the exit code."""
    path = install("kubectl", os.environ.get(TARGET_VARIABLE) or DEFAULT_TARGET)
    hostfile = os.environ.get(HOSTFILE_VARIABLE) or DEFAULT_HOSTFILE
    try:
        with open(hostfile, encoding="utf-8") as file:
            hosts = hosts_in(file.read())
    except OSError as error:
        sys.stderr.write(f"cannot read the host file: {error}\n")
        return 1
    namespace = os.environ.get("NAMESPACE") or os.environ.get(NAMESPACE_VARIABLE, "default")
    folder = NodeFolder(os.environ.get(FOLDER_VARIABLE, ""))
    # A launcher that works too stands in the file, and cannot run before this has ended.
    wait_for(folder, namespace, [host for host in hosts if not parsed_host(host).host.endswith("-launcher")])
    sys.stdout.write(f"{path} is there, and all {len(hosts)} hosts run\n")
    return 0


def wait_for(folder: NodeFolder, namespace: str, hosts: Sequence[str]) -> None:
    """Returns when a container of every host runs; tells now and then who is waited for."""
    missing, pods, pause = list(hosts), PodsOnDisk(folder), _LOOK_EVERY
    next_word, silence = time.monotonic() + _FIRST_WORD_AFTER, _FIRST_WORD_AFTER
    while missing := _missing(folder, namespace, missing, pods.look()):
        if time.monotonic() >= next_word:
            silence = min(silence * 2, _LONGEST_SILENCE)
            next_word = time.monotonic() + silence
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            sys.stdout.write(f"waiting until {shown} run\n")
            sys.stdout.flush()
        # Who has waited for an hour does not mind two seconds, but everybody minds whoever keeps the disk busy.
        time.sleep(pause)
        pause = min(pause * 1.2, _LOOK_AT_LEAST_EVERY)


def _missing(folder: NodeFolder, namespace: str, hosts: Sequence[str], pods: Sequence[KnownPod]) -> list[str]:
    """Returns the hosts of which no container runs."""
    found = ((host, pods_at(pods, namespace, parsed_host(host))) for host in hosts)
    return [host for host, meant in found if running_container(folder, meant) is None]
