"""What the tables of command lines do not ask: order, names of files, what wins, and where TensorBoard looks."""

from typing import Any

from msgspec.structs import replace

from corral.kinds.submission.catalogue import WORDS, job_type
from corral.kinds.submission.faults import faults_of
from corral.kinds.submission.objects import objects_of
from corral.kinds.submission.submission import (
    ClaimMount,
    CodeSync,
    DirectoryMount,
    LocalFile,
    RoleWishes,
    SecretValue,
    Submission,
    TensorBoard,
)
from corral.kinds.submission.volumes import logs_volume

PLAIN = Submission(type="pytorchjob", name="x", image="i", command="true")


def _containers(job: dict[str, Any], role: str) -> dict[str, Any]:
    field = next(field for field in job["spec"] if field.endswith("ReplicaSpecs"))
    container: dict[str, Any] = job["spec"][field][role]["template"]["spec"]["containers"][0]
    return container


def _env(job: dict[str, Any], role: str) -> dict[str, Any]:
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in _containers(job, role)["env"]}


def test_the_job_comes_first_and_the_service_before_the_pods_that_ask_for_it() -> None:
    whole = replace(PLAIN, files=(LocalFile("/etc/a", b"a"),), tensorboard=TensorBoard(enabled=True))
    assert [one["kind"] for one in objects_of(whole)] == ["PyTorchJob", "ConfigMap", "Service", "Deployment"]


def test_every_type_makes_a_job_of_its_kind_without_faults() -> None:
    for word in WORDS:
        submission = replace(PLAIN, type=word, workers=2)
        assert faults_of(submission) == []
        assert objects_of(submission)[0]["kind"] == job_type(word).facts.kind


def test_what_the_user_says_wins_over_what_we_say() -> None:
    said = replace(PLAIN, env={"gpus": "many", "NVIDIA_VISIBLE_DEVICES": "all"})
    env = _env(objects_of(said)[0], "Master")
    assert (env["gpus"], env["NVIDIA_VISIBLE_DEVICES"], env["workers"]) == ("many", "all", "1")


def test_a_secret_is_named_and_never_written() -> None:
    said = replace(PLAIN, env={"TOKEN": "plain"}, secrets=(SecretValue("TOKEN", "hub", "token"),))
    env = _env(objects_of(said)[0], "Master")
    assert env["TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}


def test_files_keep_their_names_where_they_can() -> None:
    paths = ("/a/x.ini", "/b/x.ini", "/a/with blank", "/a/..")
    files = tuple(LocalFile(path, path.encode()) for path in paths)
    config_map = objects_of(replace(PLAIN, files=files))[1]
    assert config_map["data"] == {
        "x.ini": "/a/x.ini",
        "file-1": "/b/x.ini",
        "file-2": "/a/with blank",
        "file-3": "/a/..",
    }


def test_a_claim_that_is_mounted_twice_is_one_volume() -> None:
    twice = replace(PLAIN, claims=(ClaimMount("a", "/x"), ClaimMount("a", "/y")))
    pod = objects_of(twice)[0]["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    assert [one for one in pod["volumes"] if "persistentVolumeClaim" in one] == [
        {"name": "claim-0", "persistentVolumeClaim": {"claimName": "a"}}
    ]
    mounts = [one["mountPath"] for one in pod["containers"][0]["volumeMounts"] if one["name"] == "claim-0"]
    assert mounts == ["/x", "/y"]


def test_tensorboard_reads_a_directory_of_the_node_that_the_job_mounts_anyway() -> None:
    board = TensorBoard(enabled=True, logdir="/logs/run")
    deployment = objects_of(replace(PLAIN, directories=(DirectoryMount("/srv/logs", "/logs"),), tensorboard=board))[2]
    pod = deployment["spec"]["template"]["spec"]
    assert [one["hostPath"]["path"] for one in pod["volumes"]] == ["/srv/logs"]
    assert "affinity" not in pod


def test_no_two_jobs_share_the_directory_of_their_events() -> None:
    places = (("a-b", "c"), ("a", "b-c"), ("", "b-c"))
    jobs = [replace(PLAIN, namespace=space, name=name, tensorboard=TensorBoard(enabled=True)) for space, name in places]
    paths = [logs_volume(job)["hostPath"]["path"] for job in jobs]
    assert paths == ["/tmp/corral-logs-a-b.c", "/tmp/corral-logs-a.b-c", "/tmp/corral-logs-default.b-c"]


def test_tensorboard_reads_a_bucket_without_a_volume() -> None:
    board = TensorBoard(enabled=True, logdir="s3://bucket/run")
    job, _, deployment = objects_of(replace(PLAIN, tensorboard=board))
    assert deployment["spec"]["template"]["spec"]["volumes"] == []
    assert "training-logs" not in str(job)


def test_a_launcher_has_the_code_of_the_command_but_no_data() -> None:
    synced = replace(
        PLAIN,
        type="mpijob",
        sync=CodeSync(mode="git", source="https://example.com/a.git"),
        claims=(ClaimMount("a", "/x"),),
    )
    mounts = _containers(objects_of(synced)[0], "Launcher")["volumeMounts"]
    assert [one["name"] for one in mounts] == ["code"]


def test_what_was_said_of_the_only_worker_holds_for_the_chief_that_it_becomes() -> None:
    alone = replace(PLAIN, type="tfjob", worker=RoleWishes(cpu="2", image="w", selector={"a": "b"}))
    job = objects_of(alone)[0]
    container = _containers(job, "Chief")
    assert (container["image"], container["resources"]) == ("w", {"requests": {"cpu": "2"}})
    assert job["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]["nodeSelector"] == {"a": "b"}


def test_two_things_at_one_path_are_a_fault_whoever_puts_them_there() -> None:
    clash = replace(PLAIN, claims=(ClaimMount("a", "/dev/shm"),))
    assert [fault.sentence.partition(":")[0] for fault in faults_of(clash)] == ["two things cannot both be at /dev/shm"]


def test_all_faults_are_told_at_once() -> None:
    bad = replace(PLAIN, name="A", cpu="x", labels={"a/b/c": ""}, env={"1": ""})
    assert [fault.field for fault in faults_of(bad)] == ["name", "env", "cpu", "labels"]


def test_a_job_and_its_pods_say_how_they_may_be_treated() -> None:
    (job,) = objects_of(Submission(type="jaxjob", name="a", image="i", checkpoints=True, stays=True))
    told = {"corral.dev/checkpoints": "true", "corral.dev/preemptible": "false"}
    template = job["spec"]["jaxReplicaSpecs"]["Worker"]["template"]
    assert job["metadata"]["annotations"] == template["metadata"]["annotations"] == told
