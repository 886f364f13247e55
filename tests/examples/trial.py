"""One run of an example as its text tells people to do it: map the image, apply the manifest, wait, look at what is left."""

import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from corral.engine.node.containers.record import MARK
from corral.engine.node.machine.processes import command_line, process_table
from corral.engine.supervisor.host import ProcessIdentity, identity
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.training.label_names import BATCH_JOB_NAME
from corral.kinds.well_known import JOB, POD
from tests.examples.catalogue import ROOT, Example
from tests.node.ground import MachineGround, wait_until
from tests.training.stage import Stage, job_resource

DONE = re.compile(r"\bdone accuracy=([0-9.]+) model=/output/(\S+)")
RESUMED = re.compile(r"\bresumed from the checkpoint of step (\d+)")
PROGRAM = b"train.py"
GOOD_ENDS, BAD_ENDS = {"Succeeded=True", "Complete=True"}, {"Failed=True"}
"""Conditions with which training jobs end, and plain Jobs."""


@dataclass(frozen=True)
class Trial:
    """An example in a namespace of its own."""

    ground: MachineGround
    stage: Stage
    example: Example

    def begin(self, environment: Path) -> None:
        """Maps the image and applies the manifest."""
        folder, kit = str(self.example.folder), str(ROOT / "examples/kit")
        where = ("--python", str(environment), "--workdir", folder, "--env", f"PYTHONPATH={kit}")
        self._corral("image", "map", self.example.image, *where)
        self._corral("apply", "-f", str(self.example.manifest), "-n", self.stage.namespace)

    def wait_for_success(self) -> None:
        """Returns when the job has succeeded; tells its log when it does otherwise."""
        ends = GOOD_ENDS | BAD_ENDS
        states = self.stage.wait(self._states, lambda states: ends & set(states), within=self.example.patience)
        assert GOOD_ENDS & set(states), f"{self._status()}\n{self.log()[-6000:]}"

    def wait_for_checkpoint(self) -> None:
        """Returns when the job has saved something to resume from."""
        wait_until(self._checkpoints, f"{self.example} saves a checkpoint", within=self.example.patience)

    def kill_program(self, pod: str) -> None:
        """Kills the training program of a pod outright, as a failing machine would."""
        uids = [str(one["metadata"]["uid"]) for one in self.stage.all(POD) if _is_called(one, pod)]
        killed = [one for uid in uids for one in programs_of(uid) if one.send(signal.SIGKILL)]
        assert killed, f"no {PROGRAM.decode()} runs in pod {pod}"

    def log(self) -> str:
        """Returns what the pods of the job say, as users see it: each in its last attempt."""
        return self._corral("logs", self.job["metadata"]["name"], "-n", self.stage.namespace)

    def whole_log(self) -> str:
        """Returns what the pods of the job have said in all attempts, one after the other."""
        files = (self.ground.folder / "logs" / self.stage.namespace).glob("*/*/*.log")
        return "".join(path.read_text(errors="replace") for path in sorted(files))

    def check_results(self) -> None:
        """Makes sure of everything that an example leaves: its accuracy, checkpoints, the model and event files."""
        log = self.log()
        found = DONE.search(log)
        assert found, log[-6000:]
        assert float(found[1]) >= self.example.accuracy
        model = self.output / found[2]
        assert model.exists()
        assert model.is_dir() or model.stat().st_size > 0
        assert self._checkpoints()

    @cached_property
    def job(self) -> Object:
        """The job as the manifest has it; of several plain Jobs the first, which leads the others."""
        return next(one for one in self._documents() if one["kind"].endswith("Job"))

    @cached_property
    def resource(self) -> ApiResource:
        """The resource of the job."""
        group, _, version = self.job["apiVersion"].partition("/")
        return JOB if group == JOB.group else job_resource(self.job["kind"], version)

    @cached_property
    def output(self) -> Path:
        """The folder behind the claim of the example."""
        claim = next(one for one in self._documents() if one["kind"] == "PersistentVolumeClaim")
        return self.ground.folder / "claims" / self.stage.namespace / str(claim["metadata"]["name"])

    def _status(self) -> Object:
        return self.stage.get(self.resource, self.job["metadata"]["name"]).get("status") or {}

    def _states(self) -> list[str]:
        return [f"{one['type']}={one['status']}" for one in self._status().get("conditions") or []]

    def _documents(self) -> list[Object]:
        return list(yaml.safe_load_all(self.example.manifest.read_text()))

    def _checkpoints(self) -> list[str]:
        folder = self.output / "checkpoints"
        return [path.name for path in folder.iterdir() if path.name[0] != "."] if folder.is_dir() else []

    def _corral(self, *words: str) -> str:
        done = self.ground.corral(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout


def _is_called(pod: Object, name: str) -> bool:
    """Whether a pod has a name, or is one of the pods of a Job of that name."""
    return bool(pod["metadata"]["name"] == name or pod["metadata"].get("labels", {}).get(BATCH_JOB_NAME) == name)


def programs_of(uid: str) -> Iterator[ProcessIdentity]:
    """Yields the processes of a pod that train; those that only hold or start them have the program among their words too."""
    mark = f"{MARK}={uid}/".encode()
    for entry in process_table():
        words = command_line(entry.pid).split(b"\0")
        if PROGRAM in words and b"python" in Path(words[0].decode()).name.encode() and _environment(entry.pid, mark):
            yield identity(entry.pid)


def _environment(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return any(one.startswith(mark) for one in file.read().split(b"\0"))
    except OSError:
        return False
