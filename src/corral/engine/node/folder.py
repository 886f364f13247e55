"""The folder of a node: where pods, their runs, their logs and the directories behind claims are kept.

    pods/UID/pod.json                        the names of the pod and its containers
    pods/UID/volumes/VOLUME/, subpaths/      what is mounted
    pods/UID/work/, mpi/                     where it works without a workingDir; what MPI keeps
    pods/UID/containers/NAME/RUN/            one run of a container: its record, its exit code, what joined it
    logs/NAMESPACE/POD_UID/CONTAINER/RUN.log what was said; outlives the pod
    claims/NAMESPACE/CLAIM/                  the directory behind a PersistentVolumeClaim
    images.json                              what image names mean on this machine
    bin/                                     programs that stand in for those of a cluster's images

Paths only: nothing here looks at the disk.
"""

import os


class NodeFolder:
    """Paths below the root folder of one node."""

    def __init__(self, root: str, images: str = "") -> None:
        self.root = os.path.abspath(root)
        self.pods = os.path.join(self.root, "pods")
        self.logs = os.path.join(self.root, "logs")
        self.claims = os.path.join(self.root, "claims")
        self.images = images or os.path.join(self.root, "images.json")
        self.stand_ins = os.path.join(self.root, "bin")

    def pod(self, uid: str) -> str:
        """Returns the folder of one pod."""
        return os.path.join(self.pods, uid)

    def volume(self, uid: str, volume: str) -> str:
        """Returns the folder of a volume that lives as long as its pod."""
        return os.path.join(self.pods, uid, "volumes", volume)

    def container(self, uid: str, container: str) -> str:
        """Returns the folder of all runs of one container."""
        return os.path.join(self.pods, uid, "containers", container)

    def run(self, uid: str, container: str, number: int) -> str:
        """Returns the folder of one run of a container; the number is the restart count."""
        return os.path.join(self.container(uid, container), str(number))

    def pod_logs(self, namespace: str, pod: str, uid: str) -> str:
        """Returns the folder of everything that the containers of one pod have said."""
        return os.path.join(self.logs, namespace, f"{pod}_{uid}")

    def claim(self, namespace: str, name: str) -> str:
        """Returns the directory behind a claim."""
        return os.path.join(self.claims, namespace, name)

    def claim_owner(self, namespace: str, name: str) -> str:
        """Returns the file that says which claim of this name the directory belongs to."""
        return os.path.join(self.claims, namespace, f".{name}.uid")
