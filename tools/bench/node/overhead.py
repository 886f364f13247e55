"""The same training through Corral and by hand, in turns: how fast it is, and what Corral itself uses meanwhile.

Each run ends as soon as the script has told its speed, which it takes without imports. The steps are chosen by a first
run by hand, so that the measured part takes some seconds on this machine, as it is today.
"""

import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import sleep
from typing import NamedTuple

from corral.kinds.training.catalogue import facts_of
from tools import frameworks
from tools.bench.node.by_hand import ByHand
from tools.bench.node.corral_up import CorralUp
from tools.bench.node.gates import Section
from tools.bench.node.intervals import DRAWS, SEED, ratio_of_medians
from tools.bench.node.manifests import MARK, job_in, measured
from tools.bench.node.spending import Spending
from tools.bench.wire import Refused

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
_SPEED = re.compile(r"samples/s=(\d+)")
_RUN_LIMIT = 900.0
_LOOK_EVERY = 0.3
_NO_CHECKPOINTS = ("--save", "1000000000")
"""Checkpoints wait for the disk, and this is not about the disk."""


@dataclass(frozen=True)
class Training:
    """One example, how it is started by hand, and where its first rank speaks when Corral has started it."""

    name: str
    framework: str
    folder: str
    image: str
    by_hand: tuple[str, ...]
    speaker: str
    container: str
    samples_per_step: int
    first_steps: int
    settings: dict[str, str] = field(default_factory=dict)
    """Variables of the side by hand that Corral or the manifest sets on the other."""

    @property
    def path(self) -> Path:
        """The folder of the example."""
        return EXAMPLES / self.folder


_AS_CORRAL_SETS = {
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_coll": "^han",
}
_AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
_ROOT_TOO = {f"{name}": "1" for one in _AS_ROOT for name in (one, one.replace("OMPI", "PRTE"))}

TRAININGS = (
    Training(
        "PyTorch DDP",
        "torch",
        "10-pytorch-ddp",
        "examples/torch-digits*",
        ("torchrun", "--standalone", "--nproc-per-node", "2", "train.py"),
        "master-0",
        "pytorch",
        samples_per_step=64,
        first_steps=300,
    ),
    Training(
        "MPI",
        "mpi",
        "03-mpi-allreduce",
        "examples/mpi-digits*",
        ("mpiexec", "-n", "2", "python", "-m", "mpi4py", "train.py"),
        "launcher",
        "mpi",
        samples_per_step=64,
        first_steps=2000,
        settings=_AS_CORRAL_SETS | (_ROOT_TOO if os.geteuid() == 0 else {}),
    ),
)


class Run(NamedTuple):
    """What came of one run: samples in a second, seconds of processor time of the job and of Corral."""

    speed: float
    job_cpu: float
    corral_cpu: float


class Pairs:
    """Runs one training on both sides, again and again."""

    def __init__(self, up: CorralUp, training: Training, work: Path) -> None:
        self._up = up
        self._training = training
        self._work = work
        self._environment = frameworks.make(training.framework)
        self._kit = {"PYTHONPATH": str(EXAMPLES / "kit")}
        self._job = job_in(training.path / "job.yaml")
        self._steps = training.first_steps
        words = ("--python", str(self._environment), "--workdir", str(training.path))
        up.corral("image", "map", training.image, *words, "--env", f"PYTHONPATH={self._kit['PYTHONPATH']}")

    def calibrate(self, seconds: float) -> int:
        """Chooses the steps after a first run by hand, and warms the caches of both sides; returns the steps."""
        speed = self.by_hand().speed
        self._steps = max(100, int(round(speed * seconds / self._training.samples_per_step, -2)))
        self.through_corral()
        return self._steps

    def by_hand(self) -> Run:
        """Runs it as one would in a terminal."""
        spending = Spending(MARK, mark := secrets.token_hex(8))
        path = os.pathsep.join([str(self._environment / "bin"), os.environ.get("PATH", os.defpath)])
        env = {"PATH": path, "OMP_NUM_THREADS": "1", MARK: mark, **self._kit, **self._training.settings}
        argv = [str(self._environment / "bin" / self._training.by_hand[0]), *self._training.by_hand[1:]]
        with ByHand(self._work, [*argv, *self._words], self._training.path, env) as running:
            speed = _awaited_speed(running.said, lambda: running.has_failed, spending)
        return Run(speed, spending.total().job, 0.0)

    def through_corral(self) -> Run:
        """Runs it as a job; Corral's time counts from before the job is made until everything of it is gone."""
        name = f"bench-{secrets.token_hex(4)}"
        spending = Spending(MARK, name)
        job = measured(self._job, name, self._words, {MARK: name})
        resource = facts_of(job).resource
        pod = f"{name}-{self._training.speaker}"
        before = self._up.settled_cpu()
        self._up.client.create(resource, job)
        speed = _awaited_speed(
            lambda: self._up.said(pod, self._training.container), lambda: self._has_failed(pod), spending
        )
        self._up.remove_job(resource, name)
        spent = spending.total()
        return Run(speed, spent.job, spent.corral + self._up.settled_cpu() - before)

    @property
    def _words(self) -> tuple[str, ...]:
        return ("--steps", str(self._steps), *_NO_CHECKPOINTS)

    def _has_failed(self, pod: str) -> bool:
        pods = [one for one in self._up.pods() if one["metadata"]["name"] == pod]
        return any((one.get("status") or {}).get("phase") == "Failed" for one in pods)


def measure_overhead(up: CorralUp, work: Path, pairs: int, seconds: float, say: Callable[[str], None]) -> Section:
    """Returns speeds and costs of all trainings; the order within a pair changes from one to the next."""
    found: Section = {}
    for training in TRAININGS:
        say(f"overhead: {training.name}, first runs")
        both = Pairs(up, training, work)
        steps = both.calibrate(seconds)
        ours: list[Run] = []
        theirs: list[Run] = []
        for number in range(pairs):
            turns: list[tuple[list[Run], Callable[[], Run]]] = [(ours, both.through_corral), (theirs, both.by_hand)]
            for runs, run in turns if number % 2 else reversed(turns):
                runs.append(run())
            say(
                f"overhead: {training.name}, pair {number + 1} of {pairs}: {ours[-1].speed:.0f}/s beside "
                f"{theirs[-1].speed:.0f}/s by hand, Corral {ours[-1].corral_cpu:.2f} of {ours[-1].job_cpu:.1f} s"
            )
        found[training.name] = {"steps": steps, **judged(ours, theirs)}
    return {"pairs": pairs, "bootstrap": {"draws": DRAWS, "seed": SEED}, "trainings": found}


def judged(ours: list[Run], theirs: list[Run]) -> Section:
    """Returns what the runs of one training say. Pure."""
    ratio = ratio_of_medians([one.speed for one in ours], [one.speed for one in theirs])
    job, corral = sum(one.job_cpu for one in ours), sum(one.corral_cpu for one in ours)
    return {
        "corral_median": median(one.speed for one in ours),
        "by_hand_median": median(one.speed for one in theirs),
        "ratio": round(ratio.value, 4),
        "low": round(ratio.low, 4),
        "high": round(ratio.high, 4),
        "corral_percent": round(100 * corral / job, 3),
        "corral_cpu_seconds_per_job": round(corral / len(ours), 3),
        "job_cpu_seconds": round(job / len(ours), 2),
        "corral_samples_per_second": [one.speed for one in ours],
        "by_hand_samples_per_second": [one.speed for one in theirs],
    }


def _awaited_speed(said: Callable[[], str], has_failed: Callable[[], bool], spending: Spending) -> float:
    """Returns the speed as soon as the script tells it."""
    looks = 0
    while looks * _LOOK_EVERY < _RUN_LIMIT:
        spending.look()
        told = _SPEED.search(said())
        if told:
            return float(told[1])
        looks += 1
        if looks % 30 == 0 and has_failed():
            raise Refused(f"the training failed:\n{said()[-2000:]}")
        sleep(_LOOK_EVERY)
    raise Refused(f"no speed was told within {_RUN_LIMIT:g} s:\n{said()[-2000:]}")
