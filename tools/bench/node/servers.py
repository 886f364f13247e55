"""Parameter servers, synchronous beside asynchronous, with one to four workers: speed, and what was learned.

The experiment of the field's early talks, on one machine. It informs and promises nothing: workers share the processors
of one machine here, so the speed levels off where those end.
"""

import re
import secrets
from collections.abc import Callable
from statistics import median

from corral.kinds.training.tensorflow import TF_JOB
from tools import frameworks
from tools.bench.node.corral_up import CorralUp, wait_until
from tools.bench.node.gates import Section
from tools.bench.node.manifests import job_in, measured, with_replicas
from tools.bench.node.overhead import EXAMPLES
from tools.bench.wire import Refused

FOLDER = EXAMPLES / "12-tensorflow-ps"
MODES = ("sync", "async")
WORKERS = (1, 2, 3, 4)
_SPEED = re.compile(r"samples/s=(\d+)")
_DONE = re.compile(r"done accuracy=([0-9.]+)")
_LIMIT = 1800.0


def measure_servers(up: CorralUp, rounds: int, steps: int, say: Callable[[str], None]) -> Section:
    """Returns one row for each mode and number of workers, medians of the rounds."""
    kit = EXAMPLES / "kit"
    environment = frameworks.make("tensorflow")
    words = ("--python", str(environment), "--workdir", str(FOLDER), "--env", f"PYTHONPATH={kit}")
    up.corral("image", "map", "examples/tf-ps-digits*", *words)
    runs: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for number in range(rounds):
        for workers in WORKERS:
            for mode in MODES:
                say(f"servers: round {number + 1} of {rounds}, {mode}, {workers} workers")
                runs.setdefault((mode, workers), []).append(_trained(up, mode, workers, steps))
    return {"rounds": rounds, "steps": steps, "rows": [_row(*key, found) for key, found in sorted(runs.items())]}


def _row(mode: str, workers: int, runs: list[tuple[float, float]]) -> Section:
    speeds, accuracies = zip(*runs, strict=True)
    return {
        "mode": mode,
        "workers": workers,
        "samples_per_second": median(speeds),
        "accuracy": round(median(accuracies), 4),
        "speeds": list(speeds),
        "accuracies": list(accuracies),
    }


def _trained(up: CorralUp, mode: str, workers: int, steps: int) -> tuple[float, float]:
    """Returns samples in a second and the accuracy at the end."""
    name = f"ps-{mode}-{secrets.token_hex(3)}"
    job = with_replicas(job_in(FOLDER / f"{mode}.yaml"), "Worker", workers)
    up.client.create(TF_JOB.resource, measured(job, name, ("--steps", str(steps)), {}))
    pod = f"{name}-worker-0"

    def has_ended() -> bool:
        said = up.said(pod, "tensorflow")
        if "Traceback" in said:
            raise Refused(f"{pod} failed:\n{said[-2000:]}")
        return _DONE.search(said) is not None

    wait_until(has_ended, f"{pod} is done", _LIMIT, every=0.5)
    said = up.said(pod, "tensorflow")
    up.remove_job(TF_JOB.resource, name)
    speed, done = _SPEED.search(said), _DONE.search(said)
    if speed is None or done is None:
        raise Refused(f"{pod} did not tell its speed:\n{said[-2000:]}")
    return float(speed[1]), float(done[1])
