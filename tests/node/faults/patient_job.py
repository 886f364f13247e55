"""A job of four patient ranks, and what became of them."""

import sys
from pathlib import Path

from corral.kinds.objects import Object
from tests.training.job_on_stage import JobOnStage
from tests.training.stage import Stage

SCRIPT = Path(__file__).parent / "patient_worker.py"
RANKS = 4


def submit_patient_job(
    stage: Stage, folder: Path, seconds: float, name: str = "patient", policy: str = "OnFailure"
) -> JobOnStage:
    """Starts a PyTorchJob of a master and three workers that take so many seconds in all."""
    folder.mkdir(parents=True, exist_ok=True)
    container = {
        "name": "pytorch",
        "image": "patient",
        "command": [sys.executable, str(SCRIPT), str(folder), str(seconds)],
    }

    def role(replicas: int) -> Object:
        template = {"spec": {"containers": [container]}}
        return {"replicas": replicas, "restartPolicy": policy, "template": template}

    manifest = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name},
        "spec": {
            "runPolicy": {"backoffLimit": 100},
            "pytorchReplicaSpecs": {"Master": role(1), "Worker": role(RANKS - 1)},
        },
    }
    return stage.send(manifest)


def notes_of(folder: Path) -> dict[str, list[str]]:
    """Returns the words of each rank, in order."""
    return {
        path.stem: [line.split()[0] for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("*.notes"))
    }


def process_of(folder: Path, rank: int) -> int:
    """Returns the process of a rank, as it noted itself when it began last."""
    return int((folder / f"{rank}.notes").read_text().splitlines()[-1].split()[1])


def steps_of(folder: Path) -> dict[str, int]:
    """Returns how far each rank has come."""
    return {path.stem: int(path.read_text()) for path in sorted(folder.glob("*.step"))}
