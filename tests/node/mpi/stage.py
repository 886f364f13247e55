"""Pods of an MPI job as plain containers of a node folder, for tests of how their launcher reaches them."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from corral.engine.node.containers.launch import Launch, Mount
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.own_programs import program
from corral.engine.node.mpi.roles import worker_command
from corral.engine.node.mpi.stand_ins import install_stand_ins
from corral.engine.node.mpi.surroundings import mpi_surroundings
from corral.kinds.objects import Object

PATH = "/usr/local/bin:/usr/bin:/bin"
FIRST, SECOND = "mpijob-controller", "mpi-operator"
"""The operators of the two dialects, as labels name them."""
WAITING: Object = {"name": "mpi", "command": ["/usr/sbin/sshd", "-De"]}


class MpiStage:
    """A job `pi` in the namespace `ml`."""

    def __init__(self, root: Path) -> None:
        self.folder = NodeFolder(str(root / "node"))
        self.hostfile = root / "hostfile"
        self.runs: list[Run] = []
        self._root = root
        self._agents: list[subprocess.Popen[str]] = []
        install_stand_ins(self.folder)

    @property
    def env(self) -> dict[str, str]:
        """Returns what every container is told."""
        return {
            "PATH": PATH,
            "HOME": str(self._root),
            "CORRAL_NODE_FOLDER": self.folder.root,
            "CORRAL_NAMESPACE": "ml",
        }

    def pod(self, role: str, index: int, operator: str = SECOND) -> Object:
        """Returns a pod of the job."""
        labels = {
            "training.kubeflow.org/operator-name": operator,
            "training.kubeflow.org/job-name": "pi",
            "training.kubeflow.org/job-role": role,
            "training.kubeflow.org/replica-type": role,
        }
        name = f"pi-worker-{index}" if role == "worker" else "pi-launcher-x7k2p"
        metadata = {"name": name, "namespace": "ml", "uid": f"{role}-{index}", "labels": labels}
        return {"metadata": metadata, "spec": {"containers": [WAITING]}}

    def start(self, index: int, argv: Sequence[str] = (), mounts: tuple[Mount, ...] = (), **env: str) -> Run:
        """Starts a worker: the door, or a program of its own."""
        pod = self.pod("worker", index)
        return self._started(pod, argv or worker_command(pod, WAITING) or (), env, mounts)

    def launch(self, operator: str, argv: Sequence[str], env: Mapping[str, str]) -> Run:
        """Starts the launcher."""
        return self._started(self.pod("launcher", 0, operator), argv, env)

    def log(self, run: Run) -> str:
        """Returns what a container has said."""
        return Path(run.folder, "log").read_text()

    def _started(
        self, pod: Object, argv: Sequence[str], more: Mapping[str, str], mounts: tuple[Mount, ...] = ()
    ) -> Run:
        uid = pod["metadata"]["uid"]
        os.makedirs(self.folder.pod(uid), exist_ok=True)
        Path(self.folder.pod(uid), "pod.json").write_text(json.dumps({"metadata": pod["metadata"]}))
        env = {**self.env, **more}
        run = self.folder.run(uid, "mpi", 0)
        env |= mpi_surroundings(pod, env, self.folder)
        launch = Launch(run, tuple(argv), env, "/", os.path.join(run, "log"), f"{uid}/mpi/0", mounts)
        self.runs.append(start(launch))
        return self.runs[-1]

    def run(self, program: str, *words: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Runs a stand-in to its end."""
        command = [os.path.join(self.folder.stand_ins, program), *words]
        whole = {**self._told(), **env}
        return subprocess.run(command, env=whole, input=said, capture_output=True, text=True, timeout=60)

    def begin(self, program: str, *words: str, **env: str) -> "subprocess.Popen[str]":
        """Starts a stand-in and returns it; it is ended with the stage."""
        command = [os.path.join(self.folder.stand_ins, program), *words]
        pipe = subprocess.PIPE
        whole = {**self._told(), **env}
        agent = subprocess.Popen(command, env=whole, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._agents.append(agent)
        return agent

    def deliver(self, target: Path) -> "subprocess.Popen[str]":
        """Starts the init container of a launcher."""
        words = program("corral.engine.node.mpi.kubectl_delivery")
        env: Mapping[str, str] = {**os.environ, **self._told(), "TARGET_DIR": str(target), "NAMESPACE": "ml"}
        agent = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
        self._agents.append(agent)
        return agent

    def _told(self) -> dict[str, str]:
        path = f"{self.folder.stand_ins}:{PATH}"
        return {**self.env, "PATH": path, "CORRAL_MPI_HOSTS": str(self.hostfile)}

    def close(self) -> None:
        """Ends what is left of the stand-ins."""
        for agent in self._agents:
            agent.kill()
            agent.communicate()
