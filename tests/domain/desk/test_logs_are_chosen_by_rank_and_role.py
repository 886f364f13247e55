"""Which containers are read, and how their lines are marked."""

import pytest

from corral.control.desk.logs.cursor import LogCursor
from corral.control.desk.logs.kept import latest_of_each_place, pods_gone, read_kept, rest_of
from corral.control.desk.logs.sources import (
    DEFAULT_CONTAINER,
    Choice,
    LoggedContainer,
    LoggedPod,
    LoggedSpec,
    LoggedStatus,
    NamedContainer,
    chosen_sources,
    refuse_empty_choice,
)
from corral.control.desk.naming.kinds import OPERATORS, TRAINING_GROUP
from corral.control.desk.naming.kinds import TRAINING_KINDS as NAMES
from corral.errors import PermanentError
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import ContainerState, Terminated, Waiting
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP
from corral.kinds.training.label_names import TRAINING_CONTAINERS
from corral.kinds.training.mpi import MPI_JOB_V2
from corral.ports.kept_logs import KeptLog


def pod(role: str, index: int | None, *containers: str, uid: str = "", **annotations: str) -> LoggedPod:
    labels = {"training.kubeflow.org/replica-type": role} if role else {}
    labels |= {"training.kubeflow.org/replica-index": str(index)} if index is not None else {}
    name = "-".join(str(part) for part in ("job", role, index) if part not in ("", None))
    held = [NamedContainer(name=one) for one in containers or ("pytorch",)]
    metadata = Metadata(name=name, namespace="team", uid=uid or name, labels=labels, annotations=annotations)
    return LoggedPod(metadata=metadata, spec=LoggedSpec(containers=held), status=LoggedStatus())


def labels(pods: list[LoggedPod], **asked: object) -> list[str]:
    return [one.label for one in chosen_sources(pods, Choice(**asked))]  # type: ignore[arg-type]


def test_the_names_that_are_written_out_twice_are_the_same() -> None:
    assert (GROUP, sorted(facts.kind for facts in TRAINING_KINDS)) == (TRAINING_GROUP, sorted(NAMES))
    assert {(facts.controller_name, facts.kind) for facts in (*TRAINING_KINDS, MPI_JOB_V2)} == set(OPERATORS.items())
    assert {facts.container for facts in TRAINING_KINDS} == set(TRAINING_CONTAINERS)


def test_sources_are_in_the_order_of_ranks() -> None:
    pods = [pod("worker", 10), pod("ps", 0), pod("worker", 2), pod("master", 0)]
    assert labels(pods) == ["master-0", "worker-2", "worker-10", "ps-0"]


def test_a_rank_counts_the_leader_and_the_workers() -> None:
    pods = [pod("worker", 0), pod("master", 0), pod("worker", 1)]
    assert [labels(pods, rank=rank) for rank in (0, 1, 2, 3)] == [["master-0"], ["worker-0"], ["worker-1"], []]


def test_a_rank_stays_when_other_pods_are_gone() -> None:
    left = [pod("worker", 1)]
    sizes = {"master": 1, "worker": 2}
    assert [one.label for one in chosen_sources(left, Choice(rank=2), sizes)] == ["worker-1"]
    assert chosen_sources(left, Choice(rank=0), sizes) == []


def test_an_instance_is_named_by_its_pod_or_by_its_place() -> None:
    pods = [pod("master", 0), pod("worker", 0)]
    assert labels(pods, instance="worker-0") == labels(pods, instance="job-worker-0") == ["worker-0"]


def test_a_launcher_has_no_rank() -> None:
    pods = [pod("launcher", None), pod("worker", 0), pod("worker", 1)]
    assert labels(pods) == ["worker-0", "worker-1", "launcher"]
    assert labels(pods, rank=0) == ["worker-0"]
    assert labels(pods, role="Launcher") == ["launcher"]


def test_a_replacement_has_the_rank_of_what_it_replaces() -> None:
    pods = [pod("worker", 0, uid="old"), pod("worker", 0, uid="new"), pod("worker", 1)]
    assert labels(pods, rank=0) == ["worker-0", "worker-0"]
    assert labels(pods, rank=1) == ["worker-1"]


def test_the_container_that_trains_is_read() -> None:
    assert chosen_sources([pod("worker", 0, "sidecar", "pytorch")], Choice())[0].container == "pytorch"
    assert chosen_sources([pod("", None, "a", "b")], Choice())[0].container == "a"
    assert chosen_sources([pod("", None, "a", "b", **{DEFAULT_CONTAINER: "b"})], Choice())[0].container == "b"
    assert chosen_sources([pod("", None, "a", "b")], Choice(container="b"))[0].container == "b"


def test_of_a_pod_whose_initialisation_failed_that_is_read() -> None:
    held = pod("worker", 0, "pytorch")
    ended = ContainerState(terminated=Terminated(exit_code=128))
    held.status.init_container_statuses = [LoggedContainer(name="init-code", state=ended)]
    held.status.container_statuses = [LoggedContainer(name="pytorch", state=ContainerState(waiting=Waiting()))]
    assert chosen_sources([held], Choice())[0].container == "init-code"
    held.status.container_statuses = [LoggedContainer(name="pytorch", restart_count=1)]
    assert chosen_sources([held], Choice())[0].container == "pytorch"


def test_a_container_rank_or_role_that_is_not_there_is_told_what_is() -> None:
    with pytest.raises(PermanentError, match='no container "x"') as caught:
        chosen_sources([pod("worker", 0)], Choice(container="x"))
    assert "pytorch" in caught.value.hint
    with pytest.raises(PermanentError, match="ranks are 0 to 1"):
        refuse_empty_choice([pod("worker", 0), pod("worker", 1)], Choice(rank=2))
    with pytest.raises(PermanentError, match="roles are master, worker"):
        refuse_empty_choice([pod("worker", 0), pod("master", 0)], Choice(role="chief"))
    refuse_empty_choice([], Choice(rank=2))


def kept(uid: str, run: int, text: bytes, last_said: float = 10.0, role: str = "worker") -> KeptLog:
    told = {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": "0"}
    stamped = b"".join(b"2027-01-15T08:00:0%d.000000000Z %s\n" % (run, line) for line in text.splitlines())
    return KeptLog("job-worker-0", uid, told, "pytorch", run, last_said, lambda _: iter([stamped]))


def shown(logs: list[KeptLog], uid: str, **asked: object) -> list[bytes]:
    pieces = read_kept(logs, uid, "pytorch", Choice(**asked), 1_800_000_010.0)  # type: ignore[arg-type]
    return [piece.text for some in pieces for piece in some]


def test_pods_that_are_gone_and_left_logs_are_told_like_others() -> None:
    logs = [kept("here", 0, b"x"), kept("old", 0, b"x", 1.0), kept("gone", 1, b"x"), kept("gone", 0, b"x", 9.0)]
    gone = pods_gone(logs, {"here"}, "team", since=5.0)
    assert [(one.uid, one.name) for one in gone] == [("gone", "job-worker-0")]
    assert [one.container for one in chosen_sources(gone, Choice())] == ["pytorch"]


def test_of_a_job_that_is_gone_the_last_pod_of_each_place_is_told() -> None:
    logs = [kept("second", 0, b"x", 20.0), kept("first", 0, b"x", 10.0)]
    assert [one.uid for one in latest_of_each_place(pods_gone(logs, set(), "team", since=0.0))] == ["second"]


def test_kept_logs_are_read_run_by_run() -> None:
    logs = [kept("a", 1, b"three\nfour"), kept("a", 0, b"one\ntwo"), kept("b", 0, b"other")]
    assert shown(logs, "a") == [b"one", b"two", b"three", b"four"]
    assert shown(logs, "a", tail=3) == [b"two", b"three", b"four"]
    assert shown(logs, "a", tail=0) == []
    assert shown(logs, "a", previous=True) == [b"one", b"two"]


def test_the_rest_of_a_kept_log_is_what_a_reader_has_not_seen() -> None:
    lines = [b"2027-01-15T08:%02d:00.000000000Z line %d\n" % (at // 10, at) for at in range(300)]
    whole = b"".join(lines)
    log = KeptLog("p", "u", {}, "c", 0, 0.0, lambda _: (whole[at : at + 100] for at in range(0, len(whole), 100)))
    for seen in (0, 1, 7, 150, 300):
        cursor = LogCursor()
        cursor.begin()
        cursor.feed(b"".join(lines[:seen]))
        left = [piece.text for pieces in rest_of(log, cursor) for piece in pieces]
        assert left == [b"line %d" % at for at in range(seen, 300)], seen
