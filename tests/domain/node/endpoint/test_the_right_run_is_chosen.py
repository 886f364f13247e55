"""Which run's log is meant follows from the container's status; the words of refusals are a kubelet's."""

import pytest

from corral.engine.node.endpoint.choice_of_run import NoSuchLogError, chosen_run, container_spec
from corral.kinds.objects import Object


def _ended(run: int) -> Object:
    return {"terminated": {"exitCode": 1, "containerID": f"corral://uid/main/{run}"}}


def _pod(state: Object, last: Object | None = None, identity: str = "", kind: str = "containerStatuses") -> Object:
    status = {"name": "main", "state": state, "lastState": last or {}, "containerID": identity}
    return {"metadata": {"name": "talker"}, "spec": {}, "status": {kind: [status]}}


CASES = {
    "it runs for the first time": (_pod({"running": {}}, None, "corral://uid/main/0"), 0, None),
    "it runs again": (_pod({"running": {}}, _ended(1), "corral://uid/main/2"), 2, 1),
    "it has ended for good": (_pod(_ended(3), _ended(2), "corral://uid/main/3"), 3, 2),
    "it waits between two runs": (_pod({"waiting": {"reason": "CrashLoopBackOff"}}, _ended(4)), 4, 4),
    "an init container has ended": (_pod(_ended(0), None, "corral://uid/main/0", "initContainerStatuses"), 0, None),
    "it never started": (_pod({"waiting": {"reason": "CreateContainerConfigError"}}), None, None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_run_follows_from_the_status(case: str) -> None:
    pod, want_now, want_before = CASES[case]
    for previous, want in ((False, want_now), (True, want_before)):
        if want is not None:
            assert chosen_run(pod, "main", previous) == want
        else:
            with pytest.raises(NoSuchLogError):
                chosen_run(pod, "main", previous)


def test_refusals_say_why() -> None:
    pod = _pod({"waiting": {"reason": "CreateContainerConfigError"}})
    with pytest.raises(
        NoSuchLogError, match='container "main" in pod "talker" is waiting to start: CreateContainerConf'
    ):
        chosen_run(pod, "main", previous=False)
    with pytest.raises(NoSuchLogError, match='previous terminated container "main" in pod "talker" not found'):
        chosen_run(pod, "main", previous=True)
    with pytest.raises(
        NoSuchLogError, match='container "other" in pod "talker" is waiting to start: ContainerCreating'
    ):
        chosen_run(pod, "other", previous=False)


def test_containers_of_the_start_are_containers_too() -> None:
    pod = {"spec": {"initContainers": [{"name": "prepare"}], "containers": [{"name": "main"}]}}
    assert container_spec(pod, "prepare") == {"name": "prepare"}
    assert container_spec(pod, "main") == {"name": "main"}
    assert container_spec(pod, "other") is None
