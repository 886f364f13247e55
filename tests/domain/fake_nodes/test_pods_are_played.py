"""The life of a pod that is played: moments, how long they last, and how they are found again in a status."""

from typing import Any

import pytest

from corral.engine.fake_nodes.addresses import Addresses
from corral.engine.fake_nodes.life import duration, first_moment, following, stopped
from corral.engine.fake_nodes.part import Part, declared
from corral.engine.fake_nodes.pod_words import Moment, moment_of, status_of
from corral.kinds.objects import Object

NOW, LATER = "2027-01-15T08:00:00Z", "2027-01-15T08:01:00Z"
TAKEN = Moment("10.64.0.2", "10.64.0.1", NOW)


def pod(policy: str = "Never", *, inits: int = 0, **annotations: str) -> Object:
    names = {"run": "corral.dev/fake-run-seconds", "code": "corral.dev/fake-exit-code"}
    spec: dict[str, Any] = {"restartPolicy": policy, "containers": [{"name": "main", "image": "any"}]}
    spec["initContainers"] = [{"name": f"prepare-{number}"} for number in range(inits)]
    metadata = {"name": "p", "uid": "u", "annotations": {names[name]: value for name, value in annotations.items()}}
    return {"metadata": metadata, "spec": spec}


def lived(of: Object, part: Part, steps: int) -> list[Moment]:
    """Returns the first moments of a life, each read back from the status that tells of it."""
    moments = [first_moment(of, part, TAKEN, NOW)]
    for _ in range(steps):
        moments.append(following(of, moments[-1], part, LATER))
        told = {**of, "status": status_of(of, moments[-1], LATER)}
        assert moment_of(told) == moments[-1]
    return moments


def test_a_pod_runs_and_succeeds() -> None:
    running, ended = lived(pod(), Part(seconds=60), 1)
    assert (running.phase, duration(running, Part(seconds=60)), ended.phase) == ("Running", 60, "Succeeded")
    assert duration(ended, Part(seconds=60)) is None


def test_a_pod_fails_with_its_code() -> None:
    _, ended = lived(pod(), Part(exit_codes=(3,)), 1)
    assert ended.phase == "Failed"
    assert ended.main.ended is not None
    assert (ended.main.ended.exit_code, ended.main.ended.reason) == (3, "Error")


def test_what_is_started_again_rests_longer_each_time() -> None:
    part = Part(seconds=5, exit_codes=(1,), rest=10.0)
    moments = lived(pod("OnFailure"), part, 4)
    assert [moment.main.number for moment in moments] == [0, 0, 1, 1, 2]
    assert [duration(moment, part) for moment in moments] == [5, 10.0, 5, 20.0, 5]
    assert {moment.phase for moment in moments} == {"Running"}
    resting = status_of(pod("OnFailure"), moments[1], LATER)["containerStatuses"][0]
    assert resting["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert resting["lastState"]["terminated"]["exitCode"] == 1


def test_initialisation_comes_first() -> None:
    part = Part(init_seconds=2, seconds=5)
    first, running, ended = lived(pod(inits=2), part, 2)
    assert (first.phase, duration(first, part), running.phase, ended.phase) == ("Pending", 2, "Running", "Succeeded")
    told = {one["type"]: one["status"] for one in status_of(pod(inits=2), first, NOW)["conditions"]}
    assert (told["Initialized"], told["PodScheduled"]) == ("False", "True")


def test_a_pod_that_is_asked_to_go_has_heard_it() -> None:
    (running,) = lived(pod(), Part(seconds=None), 0)
    ended = stopped(running, LATER)
    assert ended.phase == "Failed"
    assert ended.main.ended is not None
    assert ended.main.ended.exit_code == 143
    assert stopped(ended, LATER) == ended


def test_conditions_of_others_stay() -> None:
    told = {**pod(), "status": {"conditions": [{"type": "example.com/quota", "status": "True"}]}}
    (running,) = lived(pod(), Part(), 0)
    assert {"type": "example.com/quota", "status": "True"} in status_of(told, running, NOW)["conditions"]


@pytest.mark.parametrize(
    ("given", "seconds", "code"),
    [
        (pod(), 60.0, 0),
        (pod(run="2.5", code="7"), 2.5, 7),
        (pod("OnFailure"), 60.0, 0),
        (pod("Always"), None, 0),
        (pod("Always", run="5"), 5.0, 0),
    ],
)
def test_annotations_declare_the_part(given: Object, seconds: float | None, code: int) -> None:
    part, complaint = declared(given)
    assert (part.seconds, part.exit_codes, complaint) == (seconds, (code,), "")


@pytest.mark.parametrize("words", [{"run": "soon"}, {"run": "-1"}, {"run": "nan"}, {"code": "256"}, {"code": "1.5"}])
def test_what_cannot_be_read_counts_as_absent_and_is_told(words: dict[str, Any]) -> None:
    part, complaint = declared(pod(**words))
    assert (part.seconds, part.exit_codes) == (60.0, (0,))
    assert repr(next(iter(words.values()))) in complaint


def test_an_address_has_one_pod() -> None:
    addresses = Addresses()
    addresses.note("10.64.1.2")
    assert [addresses.lend(1), addresses.lend(1), addresses.lend(0)] == ["10.64.1.3", "10.64.1.4", "10.64.0.2"]
    addresses.give_back("10.64.1.3")
    assert addresses.lend(1) == "10.64.1.3"
