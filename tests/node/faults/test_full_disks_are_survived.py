"""F33: the disk of the node becomes full. New pods say so and wait, running ones go on, and nothing is torn.

When there is room again everything goes on by itself. Whatever ends meanwhile ends with its own code, a node that is killed
meanwhile finds everything again, and probes that cannot be asked kill nobody.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from tests.node.bad_input.test_bad_input_is_told import container_of, warnings_about
from tests.node.conftest import stage_on
from tests.node.faults.small_disk import fill, small_disk_machine
from tests.node.ground import EmbeddedGround, wait_until
from tests.node.pods.pod_manifests import pod_spec, python, shell
from tests.training.stage import Stage

TALKER = """
import itertools, sys, time
for number in itertools.count():
    try:
        print("line", number, flush=True)
    except OSError:
        pass
    with open(sys.argv[1], "w") as file:
        file.write(str(number))
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def ground() -> Iterator[EmbeddedGround]:
    """A node with a small disk."""
    with small_disk_machine() as ground:
        yield ground


@pytest.fixture
def small(ground: EmbeddedGround) -> Iterator[Stage]:
    """A namespace on it."""
    yield from stage_on(ground)


def running(stage: Stage, name: str, container: Object, policy: str = "Never") -> None:
    stage.make(POD, name, spec=pod_spec(container, policy=policy))
    stage.wait(lambda: container_of(stage, name, "main")["state"], lambda state: "running" in state)


def test_pods_wait_and_go_on_when_there_is_room(ground: EmbeddedGround, small: Stage, tmp_path: Path) -> None:
    heard, gate = tmp_path / "heard", tmp_path / "gate"
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1, "failureThreshold": 1}
    running(small, "talker", {**python(TALKER), "args": [str(heard)]})
    running(small, "probed", shell("sleep 600", livenessProbe=probe), policy="Always")
    running(small, "ending", shell(f"until test -e {gate}; do sleep 0.05; done; exit 7"))
    wait_until(heard.exists, "the talker talks")
    full = fill(ground.folder)

    small.make(POD, "late", spec=pod_spec(shell("echo hello; sleep 600")))
    told = small.wait(lambda: container_of(small, "late", "main")["state"].get("waiting", {}).get("message"))
    assert "No space left on device" in told
    assert "free some space there" in told
    assert any("No space left on device" in one["message"] for one in small.wait(lambda: warnings_about(small, "late")))

    gate.touch()
    ended = small.wait(lambda: container_of(small, "ending", "main")["state"].get("terminated"))
    assert ended is not None
    assert ended["exitCode"] == 7
    small.wait(lambda: messages(small, "probed"), lambda seen: any("could not be asked" in one for one in seen))

    ground.kill_node()
    small.wait(lambda: small.get(POD, "late")["status"]["containerStatuses"][0]["state"])
    before = int(heard.read_text())
    wait_until(lambda: int(heard.read_text() or 0) > before + 3, "the talker goes on")
    for name in ("talker", "probed"):
        status = container_of(small, name, "main")
        assert (list(status["state"]), status["restartCount"]) == (["running"], 0), name

    full.unlink()
    small.wait(lambda: container_of(small, "late", "main")["state"], lambda state: "running" in state)
    small.wait(lambda: log(small, "late"), lambda text: text == "hello\n")
    last = int(heard.read_text())
    small.wait(lambda: int(log(small, "talker", 1).split()[-1]), lambda number: number > last)
    whole_records(ground.folder)
    assert "Traceback" not in ground.log_of_node()


def test_pods_are_deleted_from_a_full_disk(ground: EmbeddedGround, small: Stage) -> None:
    running(small, "gone", shell("sleep 600"))
    full = fill(ground.folder)
    small.delete(POD, "gone")
    small.wait_gone(POD, "gone")
    full.unlink()
    assert "Traceback" not in ground.log_of_node()


def messages(stage: Stage, pod: str) -> list[str]:
    return [str(one["message"]) for one in warnings_about(stage, pod)]


def log(stage: Stage, pod: str, tail: int = 10) -> str:
    path = f"/api/v1/namespaces/{stage.namespace}/pods/{pod}/log?tailLines={tail}"
    return stage.client.raw("GET", path).decode()


def whole_records(folder: Path) -> None:
    """Makes sure that no record on the disk is cut off, and no draft was left."""
    found = [path for path in folder.rglob("*.json") if path.name in ("record.json", "pod.json")]
    assert found
    for path in found:
        json.loads(path.read_text())
    assert not list(folder.rglob("*.new"))
