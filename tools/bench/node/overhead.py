"""The same training through Corral and by hand, in turns: how fast it is, and what Corral itself uses meanwhile.

Each run ends as soon as the script has told its speed, which it takes without imports. Linux shares processors among
sessions first: Corral gives each rank one, so each has one by hand as well. What Corral uses for a job is mostly used at
its start and end, so its share is taken from one job that is a minute long.
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
_LOOK_EVERY, _SPENDING_EVERY, _FAILURE_EVERY = 0.25, 4, 40
"""Seconds between looks at the log; and after how many of them to look at the processes, and for a failed pod."""
_LONG = 8
"""How many times longer the job is from which Corral's share is taken."""
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
    steps: int
    """So many that two processors with nothing else to do take six to eight seconds."""
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
    # The workers of an MPIJob are hosts of their own, here as on a cluster, so Open MPI speaks TCP between them. By hand it
    # would take shared memory, which is a quarter faster for messages as small as these: that is no cost of Corral's.
    "OMPI_MCA_btl": "tcp,self",
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
        steps=600,
    ),
    Training(
        "MPI",
        "mpi",
        "03-mpi-allreduce",
        "examples/mpi-digits*",
        ("mpiexec", "-n", "2", "setsid", "python", "-m", "mpi4py", "train.py"),
        "launcher",
        "mpi",
        steps=10_000,
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
        self.name = training.name
        self._up = up
        self._training = training
        self._work = work
        self._environment = frameworks.make(training.framework)
        self._kit = {"PYTHONPATH": str(EXAMPLES / "kit")}
        self._job = job_in(training.path / "job.yaml")
        words = ("--python", str(self._environment), "--workdir", str(training.path))
        up.corral("image", "map", training.image, *words, "--env", f"PYTHONPATH={self._kit['PYTHONPATH']}")

    def by_hand(self, steps: int) -> Run:
        """Runs it as one would in a terminal."""
        spending = Spending(MARK, mark := secrets.token_hex(8))
        path = os.pathsep.join([str(self._environment / "bin"), os.environ.get("PATH", os.defpath)])
        env = {"PATH": path, "OMP_NUM_THREADS": "1", MARK: mark, **self._kit, **self._training.settings}
        argv = [str(self._environment / "bin" / self._training.by_hand[0]), *self._training.by_hand[1:]]
        with ByHand(self._work, [*argv, *_words(steps)], self._training.path, env) as running:
            speed = _awaited_speed(running.said, lambda: running.has_failed, spending)
        return Run(speed, spending.total().job, 0.0)

    def through_corral(self, steps: int) -> Run:
        """Runs it as a job; Corral's time counts from before the job is made until everything of it is gone."""
        name = f"bench-{secrets.token_hex(4)}"
        spending = Spending(MARK, name)
        job = measured(self._job, name, _words(steps), {MARK: name})
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

    def _has_failed(self, pod: str) -> bool:
        pods = [one for one in self._up.pods() if one["metadata"]["name"] == pod]
        return any((one.get("status") or {}).get("phase") == "Failed" for one in pods)


class Extent(NamedTuple):
    """How much is measured: pairs of runs, with which frameworks, and how long."""

    pairs: int
    frameworks: tuple[str, ...]
    stretch: float = 1.0
    """All steps are multiplied by this, for machines that are much faster or slower."""


def measure_overhead(up: CorralUp, work: Path, extent: Extent, say: Callable[[str], None]) -> Section:
    """Returns speeds and costs of the trainings."""
    found: Section = {}
    for training in [one for one in TRAININGS if one.framework in extent.frameworks]:
        say(f"overhead: {training.name}, first runs")
        both, steps = Pairs(up, training, work), round(training.steps * extent.stretch)
        both.by_hand(100)
        both.through_corral(100)
        ours, theirs = _in_turns(both, extent.pairs, steps, say)
        say(f"overhead: {training.name}, a long job")
        found[training.name] = {"steps": steps, **judged(ours, theirs, both.through_corral(_LONG * steps))}
    return {"pairs": extent.pairs, "bootstrap": {"draws": DRAWS, "seed": SEED}, "trainings": found}


def _in_turns(both: Pairs, pairs: int, steps: int, say: Callable[[str], None]) -> tuple[list[Run], list[Run]]:
    """Runs both sides; who comes first changes from pair to pair."""
    ours: list[Run] = []
    theirs: list[Run] = []
    for number in range(pairs):
        turns: list[tuple[list[Run], Callable[[int], Run]]] = [(ours, both.through_corral), (theirs, both.by_hand)]
        for runs, run in turns if number % 2 else reversed(turns):
            runs.append(run(steps))
        one, other = ours[-1], theirs[-1]
        say(
            f"overhead: {both.name}, pair {number + 1} of {pairs}: {one.speed:.0f}/s beside {other.speed:.0f}/s by hand, "
            f"Corral used {one.corral_cpu:.2f} s beside {one.job_cpu:.1f} s"
        )
    return ours, theirs


def judged(ours: list[Run], theirs: list[Run], long: Run) -> Section:
    """Returns what the runs of one training say. Pure."""
    ratio = ratio_of_medians([one.speed for one in ours], [one.speed for one in theirs])
    return {
        "corral_median": median(one.speed for one in ours),
        "by_hand_median": median(one.speed for one in theirs),
        "ratio": round(ratio.value, 4),
        "low": round(ratio.low, 4),
        "high": round(ratio.high, 4),
        "corral_percent": round(100 * long.corral_cpu / long.job_cpu, 3),
        "cpu_seconds_of_long_job": _seconds([long]),
        "cpu_seconds_of_short_jobs": _seconds(ours),
        "corral_samples_per_second": [one.speed for one in ours],
        "by_hand_samples_per_second": [one.speed for one in theirs],
    }


def _seconds(runs: list[Run]) -> dict[str, float]:
    return {
        "job": round(median(one.job_cpu for one in runs), 2),
        "corral": round(median(one.corral_cpu for one in runs), 2),
    }


def _words(steps: int) -> tuple[str, ...]:
    return ("--steps", str(steps), *_NO_CHECKPOINTS)


def _awaited_speed(said: Callable[[], str], has_failed: Callable[[], bool], spending: Spending) -> float:
    """Returns the speed as soon as the script tells it."""
    looks = 0
    while looks * _LOOK_EVERY < _RUN_LIMIT:
        if looks % _SPENDING_EVERY == 0:
            spending.look()
        told = _SPEED.search(said())
        if told:
            spending.look()
            return float(told[1])
        looks += 1
        if looks % _FAILURE_EVERY == 0 and has_failed():
            raise Refused(f"the training failed:\n{said()[-2000:]}")
        sleep(_LOOK_EVERY)
    raise Refused(f"no speed was told within {_RUN_LIMIT:g} s:\n{said()[-2000:]}")
