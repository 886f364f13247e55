"""From the API's reply to the create of a job to the first line of its first rank, beside a bare spawn of the same script.

The line is the time at which it was written, by the clock that all processes of a machine share, so nobody has to look
often and be in the way. On the way a watch notes when the pod was made, bound and running.
"""

import secrets
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic_ns, sleep
from typing import NamedTuple

from corral.kinds.training.pytorch import PYTORCH_JOB
from tools import frameworks
from tools.bench.node.corral_up import CorralUp, clean_environment, wait_until
from tools.bench.node.gates import Section
from tools.bench.node.intervals import percentile, ratio_of_medians
from tools.bench.node.manifests import two_ranks
from tools.bench.node.sightings import STATES, Sightings

_SAY = "import time; print(time.monotonic_ns(), flush=True)"
SCRIPTS = {"a line": _SAY, "numpy and a line": f"import numpy; {_SAY}"}
_PAUSE = 0.5
"""Seconds between two starts, in which what came of the last one ends; a start into a quiet Corral is measured."""


class Started(NamedTuple):
    """One start through Corral: milliseconds to each state and to the first line."""

    line: float
    states: dict[str, float]


class Starter:
    """Starts one script on both sides."""

    def __init__(self, up: CorralUp, sightings: Sightings, code: str, work: Path) -> None:
        self._up = up
        self._sightings = sightings
        python = frameworks.make("mpi") / "bin" / "python"  # the smallest of ours that has numpy
        self._argv = [str(python), "-c", code]
        self._log = work / "bare.log"

    def bare(self) -> float:
        """Returns the milliseconds from spawning it to its first line."""
        with self._log.open("wb") as log:
            began = monotonic_ns()
            process = subprocess.Popen(
                self._argv, stdin=subprocess.DEVNULL, stdout=log, env=clean_environment(), start_new_session=True
            )
        process.wait()
        return (int(self._log.read_text()) - began) / 1e6

    def through_corral(self) -> Started:
        """Returns the milliseconds from the reply to its first line, as a job of two ranks that both run it."""
        name = f"start-{secrets.token_hex(4)}"
        pod = f"{name}-master-0"
        job = two_ranks(name, self._argv)
        self._up.client.create(PYTORCH_JOB.resource, job)
        began = monotonic_ns()
        wait_until(lambda: self._up.said(pod, "pytorch").endswith("\n"), f"{pod} speaks")
        written = int(self._up.said(pod, "pytorch"))
        wait_until(lambda: self._sightings.time_of(pod, "running"), f"{pod} is seen running")
        seen = {state: self._sightings.time_of(pod, state) or 0 for state in STATES}
        self._up.remove_job(PYTORCH_JOB.resource, name)
        return Started((written - began) / 1e6, {state: (at - began) / 1e6 for state, at in seen.items()})


def measure_start(up: CorralUp, work: Path, pairs: int, say: Callable[[str], None]) -> Section:
    """Returns the times of both sides for each script."""
    found: Section = {}
    with Sightings(up.access) as sightings:
        for name, code in SCRIPTS.items():
            say(f"start of {name}: {pairs} pairs")
            found[name] = judged(*_in_turns(Starter(up, sightings, code, work), pairs))
    return {"pairs": pairs, "scripts": found}


def _in_turns(starter: Starter, pairs: int) -> tuple[list[Started], list[float]]:
    """Starts the script on both sides; who comes first changes from pair to pair."""
    starter.bare(), starter.through_corral()
    bare: list[float] = []
    ours: list[Started] = []
    for number in range(pairs):
        for is_ours in (number % 2 == 0, number % 2 == 1):
            sleep(_PAUSE)
            if is_ours:
                ours.append(starter.through_corral())
            else:
                bare.append(starter.bare())
    return ours, bare


def judged(ours: list[Started], bare: list[float]) -> Section:
    """Returns what the starts of one script say. Pure."""
    lines = [one.line for one in ours]
    ratio = ratio_of_medians(lines, bare)
    return {
        "ratio": round(ratio.value, 2),
        "low": round(ratio.low, 2),
        "high": round(ratio.high, 2),
        "corral_ms": _summary(lines),
        "bare_ms": _summary(bare),
        "median_ms_to": {state: round(median(one.states[state] for one in ours), 1) for state in STATES},
        "corral_samples_ms": [round(one, 1) for one in lines],
        "bare_samples_ms": [round(one, 1) for one in bare],
    }


def _summary(samples: list[float]) -> dict[str, float]:
    return {"median": round(median(samples), 1), "p95": round(percentile(samples, 95), 1)}
