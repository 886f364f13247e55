"""Pods of an MPI job as plain containers of a node folder, for tests of how their launcher reaches them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from corral.engine.node.addressing.mpi_pods import worker_command
from corral.engine.node.addressing.stand_ins import install_stand_ins
from corral.engine.node.containers.launch import Launch, Mount
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder
from corral.kinds.objects import Object

PATH = "/usr/local/bin:/usr/bin:/bin"
WAITING: Object = {"name": "mpi", "command": ["/usr/sbin/sshd", "-De"]}


class MpiStage:
    """A job `pi` in the namespace `ml`."""

    def __init__(self, root: Path) -> None:
        self.folder = NodeFolder(str(root / "node"))
        self.hostfile = root / "hostfile"
        self._agents: list[subprocess.Popen[str]] = []
        install_stand_ins(self.folder)

    @property
    def env(self) -> dict[str, str]:
        """Returns what every container is told."""
        return {
            "PATH": f"{self.folder.stand_ins}:{PATH}",
            "CORRAL_NODE_FOLDER": self.folder.root,
            "CORRAL_NAMESPACE": "ml",
            "CORRAL_MPI_HOSTS": str(self.hostfile),
        }

    def worker(self, index: int) -> Object:
        """Returns the pod of a worker."""
        labels = {
            "training.kubeflow.org/operator-name": "mpi-operator",
            "training.kubeflow.org/job-name": "pi",
            "training.kubeflow.org/job-role": "worker",
        }
        name = f"pi-worker-{index}"
        spec = {"hostname": name, "subdomain": "pi", "containers": [WAITING]}
        return {"metadata": {"name": name, "namespace": "ml", "uid": f"uid-{index}", "labels": labels}, "spec": spec}

    def start(self, index: int, argv: Sequence[str] = (), mounts: tuple[Mount, ...] = (), **env: str) -> Run:
        """Starts a worker: the door, or a program of its own."""
        pod = self.worker(index)
        uid = pod["metadata"]["uid"]
        os.makedirs(self.folder.pod(uid), exist_ok=True)
        Path(self.folder.pod(uid), "pod.json").write_text(json.dumps({"metadata": pod["metadata"]}))
        return start(
            Launch(
                folder=self.folder.run(uid, "mpi", 0),
                argv=tuple(argv) or worker_command(pod, WAITING) or (),
                env={**self.env, **env},
                workdir="/",
                log=str(Path(self.folder.pod_logs("ml", pod["metadata"]["name"], uid), "mpi", "0.log")),
                owner=f"{uid}/mpi/0",
                mounts=mounts,
            )
        )

    def run(self, program: str, *words: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Runs a stand-in to its end."""
        command = [os.path.join(self.folder.stand_ins, program), *words]
        return subprocess.run(command, env={**self.env, **env}, input=said, capture_output=True, text=True, timeout=60)

    def begin(self, program: str, *words: str, **env: str) -> "subprocess.Popen[str]":
        """Starts a stand-in and returns it; it is ended with the stage."""
        command = [os.path.join(self.folder.stand_ins, program), *words]
        pipe = subprocess.PIPE
        agent = subprocess.Popen(command, env={**self.env, **env}, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._agents.append(agent)
        return agent

    def deliver(self, target: Path) -> "subprocess.Popen[str]":
        """Starts the init container of a launcher."""
        module = "corral.engine.node.addressing.kubectl_delivery"
        env: Mapping[str, str] = {**os.environ, **self.env, "TARGET_DIR": str(target), "NAMESPACE": "ml"}
        agent = subprocess.Popen([sys.executable, "-m", module], env=env, stdout=subprocess.PIPE, text=True)
        self._agents.append(agent)
        return agent

    def close(self) -> None:
        """Ends what is left of the stand-ins."""
        for agent in self._agents:
            agent.kill()
            agent.communicate()
