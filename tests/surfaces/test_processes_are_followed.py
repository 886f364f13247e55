"""The whole of it on one machine: a job of real processes, followed through crashes of everything, and remembered."""

import json
import os
import signal
from pathlib import Path

from tests.surfaces.conftest import Cli
from tests.surfaces.hollow_stage import Running

STEPS = 20
COUNT = f'i=0; while [ $i -lt {STEPS} ]; do echo "step $i"; i=$((i+1)); sleep 0.2; done'
STUMBLE = f'if [ ! -e "$MARK-$RANK" ]; then touch "$MARK-$RANK"; echo stumbles; sleep 0.5; exit 3; fi; {COUNT}'


def _job(mark: Path) -> str:
    def role(replicas: int, line: str) -> dict[str, object]:
        env = [{"name": "MARK", "value": str(mark)}]
        container = {"name": "pytorch", "image": "none", "command": ["sh", "-c", line], "env": env}
        return {"replicas": replicas, "restartPolicy": "OnFailure", "template": {"spec": {"containers": [container]}}}

    roles = {"Master": role(1, COUNT), "Worker": role(2, STUMBLE)}
    return json.dumps(
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": "count"},
            "spec": {"pytorchReplicaSpecs": roles},
        }
    )


def test_every_line_comes_once_though_the_api_and_the_node_are_killed(
    cli: Cli, corral_home: Path, tmp_path: Path
) -> None:
    done = cli("apply", "-f", "-", text=_job(tmp_path / "mark"))
    assert done.returncode == 0, done.stderr
    with Running(corral_home, "logs", "-f", "count") as following:
        following.wait_line("[worker-0] stumbles")
        processes = json.loads(cli("status", "-o", "json").stdout)["processes"]
        for one in processes:
            if one["name"] in ("api", "node"):
                os.kill(one["pid"], signal.SIGKILL)
        status, told = following.end()
    assert (status, told.splitlines()[-1].partition(" after ")[0]) == (0, "count succeeded")
    counted = [f"step {number}" for number in range(STEPS)]
    lines = [line.rstrip("\n").partition("] ")[::2] for line in following.lines]
    said = {rank: [text for mark, text in lines if mark == f"[{rank}"] for rank in ("master-0", "worker-0", "worker-1")}
    assert said == {"master-0": counted, "worker-0": ["stumbles", *counted], "worker-1": ["stumbles", *counted]}

    assert cli("delete", "count").returncode == 0
    kept = cli("logs", "count", "--rank", "0")
    assert (kept.returncode, kept.stdout.splitlines()) == (0, counted)
