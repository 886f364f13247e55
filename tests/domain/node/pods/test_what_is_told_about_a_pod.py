"""Phases, conditions and container states, from what the containers do."""

import pytest

from corral.engine.node.pods.phases import phase_of
from corral.engine.node.pods.sight import PodSight
from corral.engine.node.pods.statuses import status_of
from corral.engine.node.pods.whereabouts import Whereabouts
from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of
from tests.domain.node.pods.pod_sights import NOW, container, ended, held, pod, running, sidecar

HERE = Whereabouts("127.64.0.9", "127.0.0.1")

PHASES: dict[str, tuple[PodSight, str]] = {
    "nothing has started": (pod(), "Pending"),
    "one of two runs": (pod(container("a", running()), container("b")), "Pending"),
    "all run": (pod(container("a", running()), container("b", running())), "Running"),
    "an init container runs": (pod(inits=(container("i", running()),)), "Pending"),
    "an init container failed for good": (pod(inits=(container("i", ended(1)),), policy="Never"), "Failed"),
    "an init container failed and comes again": (pod(inits=(container("i", ended(1)),)), "Pending"),
    "a sidecar runs, the others wait": (pod(inits=(sidecar("s", running()),)), "Pending"),
    "a sidecar still runs after the others": (
        pod(container("a", ended(0)), inits=(sidecar("s", running()),), policy="Never"),
        "Running",
    ),
    "all ended well": (pod(container("a", ended(0)), policy="Never"), "Succeeded"),
    "one failed": (pod(container("a", ended(0)), container("b", ended(2)), policy="Never"), "Failed"),
    "failed and comes again": (pod(container("a", ended(2)), policy="OnFailure"), "Running"),
    "ended well and comes again": (pod(container("a", ended(0))), "Running"),
    "refused after a run": (pod(container("a", ended(2), held=held()), policy="OnFailure"), "Running"),
    "refused from the start": (pod(container("a", held=held())), "Pending"),
    "beyond its deadline": (pod(container("a", ended(0)), policy="Never", verdict=("DeadlineExceeded", "")), "Failed"),
    "deleted after success": (
        pod(container("a", ended(0)), policy="Never", metadata={"deletionTimestamp": stamp_of(NOW)}),
        "Succeeded",
    ),
    "deleted while it ran": (
        pod(container("a", ended(143)), policy="OnFailure", metadata={"deletionTimestamp": stamp_of(NOW)}),
        "Failed",
    ),
}


@pytest.mark.parametrize("case", PHASES)
def test_the_phase_follows_from_the_containers(case: str) -> None:
    sight, want = PHASES[case]
    assert phase_of(sight) == want


def told(sight: PodSight) -> Object:
    return status_of(sight, HERE)


def conditions(sight: PodSight) -> dict[str, str]:
    return {one["type"]: one["status"] for one in told(sight)["conditions"]}


def state(sight: PodSight) -> Object:
    found: Object = told(sight)["containerStatuses"][0]["state"]
    return found


def test_a_running_pod_is_ready() -> None:
    found = conditions(pod(container("a", running())))
    assert found == dict.fromkeys(
        ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"), "True"
    )


def test_a_container_that_is_not_ready_is_named() -> None:
    sight = pod(container("a", running(), is_ready=False), container("b", running()))
    ready = next(one for one in told(sight)["conditions"] if one["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ContainersNotReady")
    assert "[a]" in ready["message"]


def test_a_readiness_gate_keeps_a_pod_unready_but_not_its_containers() -> None:
    gated = {"readinessGates": [{"conditionType": "team/checked"}]}
    sight = pod(container("a", running()), spec=gated)
    assert conditions(sight)["Ready"] == "False"
    assert conditions(sight)["ContainersReady"] == "True"
    passed = {"conditions": [{"type": "team/checked", "status": "True"}]}
    done = pod(container("a", running()), spec=gated, status=passed)
    assert conditions(done)["Ready"] == "True"
    assert conditions(done)["team/checked"] == "True"


def test_exit_codes_and_reasons_are_told() -> None:
    assert state(pod(container("a", ended(0)), policy="Never"))["terminated"]["reason"] == "Completed"
    failed = state(pod(container("a", ended(7)), policy="Never"))["terminated"]
    assert (failed["exitCode"], failed["reason"]) == (7, "Error")
    killed = state(pod(container("a", ended(137, reason="OOMKilled")), policy="Never"))["terminated"]
    assert (killed["exitCode"], killed["reason"]) == (137, "OOMKilled")


def test_a_container_that_waits_for_its_restart_says_so_and_how_it_ended() -> None:
    status = told(pod(container("a", ended(7, 2)), policy="OnFailure"))["containerStatuses"][0]
    assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert status["lastState"]["terminated"]["exitCode"] == 7
    assert status["restartCount"] == 2
    assert status["state"]["waiting"]["message"] == "back-off restarting container a: it ended with 7 (Error)"


def test_a_wait_hides_no_reason() -> None:
    mistyped = ended(128, 1, reason="StartError")._replace(message="executable file not found")
    waiting = state(pod(container("a", mistyped)))["waiting"]
    assert waiting["message"].endswith("it ended with 128 (StartError): executable file not found")
    assert state(pod(container("a", ended(0, 1))))["waiting"]["message"].endswith("a: it has ended")


def test_a_refused_start_tells_why() -> None:
    waiting = state(pod(container("a", held=held())))["waiting"]
    assert waiting == {"reason": "CreateContainerConfigError", "message": "it cannot be"}


def test_the_run_before_stays_visible() -> None:
    status = told(pod(container("a", running(1), before=ended(9))))["containerStatuses"][0]
    assert status["lastState"]["terminated"]["exitCode"] == 9
    assert "running" in status["state"]


def test_a_second_look_tells_the_same() -> None:
    first = pod(container("a", running()))
    status = told(first)
    again = first._replace(pod={**first.pod, "status": status}, now=NOW + 60)
    assert told(again) == status


def test_the_reason_of_an_end_that_the_node_decided_on_is_told() -> None:
    sight = pod(container("a", ended(143)), verdict=("DeadlineExceeded", "too long"))
    assert (told(sight)["reason"], told(sight)["message"]) == ("DeadlineExceeded", "too long")
