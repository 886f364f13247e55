"""Code, files and TensorBoard come with a job, and go with it: tried with real processes."""

import urllib.request
from pathlib import Path

import pytest

from tests.submission.machine import Machine
from tests.submission.programs import git_repository, why_no_rsync
from tests.surfaces.hollow_stage import until


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("sources") / "models.git"
    return str(folder), git_repository(folder)


def test_a_tfjob_has_its_cluster_its_code_and_its_files(
    machine: Machine, repository: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "settings.ini").write_text("lr = 0.1\n")
    (tmp_path / "raw").write_bytes(b"\xff\x00")
    machine.submit(
        *("tfjob", "--name=all", "--image=none", "--workers=1", "--ps=1", f"--working-dir={tmp_path}"),
        *("--syncMode=git", f"--syncSource={repository[0]}"),
        f"--config-file={tmp_path}/settings.ini:/etc/app/settings.ini",
        f"--config-file={tmp_path}/raw:/etc/app/raw",
        'cat /etc/app/settings.ini; wc -c < /etc/app/raw; python3 code/models/train.py; echo "$TF_CONFIG"',
    )
    machine.succeeded("all")
    worker = [line.removeprefix("[worker-0] ") for line in machine.said("all") if line.startswith("[worker-0]")]
    assert worker[:3] == ["lr = 0.1", "2", "from main"]
    assert '"ps":["127.' in worker[3]
    assert '"type":"worker"' in worker[3]


@pytest.mark.parametrize(
    ("variables", "said"),
    [(["GIT_SYNC_BRANCH=next"], "from next"), (["GIT_SYNC_BRANCH=next", "GIT_SYNC_REV={revision}"], "once next")],
)
def test_code_is_of_the_branch_and_revision_that_variables_name(
    machine: Machine, repository: tuple[str, str], tmp_path: Path, variables: list[str], said: str
) -> None:
    source, revision = repository
    given = [f"--env={one.format(revision=revision)}" for one in variables]
    name = f"code-{len(variables)}"
    machine.submit(
        *("pytorchjob", f"--name={name}", "--image=none", f"--working-dir={tmp_path}", *given),
        *("--sync-mode=git", f"--sync-source={source}", "python3 code/models/train.py"),
    )
    machine.succeeded(name)
    assert machine.said(name)[-1].endswith(said)


def test_code_comes_by_rsync(machine: Machine, tmp_path: Path) -> None:
    if why := why_no_rsync():
        pytest.skip(why)
    source = tmp_path / "source" / "train"
    source.mkdir(parents=True)
    (source / "train.py").write_text("print('from rsync')\n")
    machine.submit(
        *("pytorchjob", "--name=rsync", "--image=none", f"--working-dir={tmp_path}"),
        *("--syncMode=rsync", f"--syncSource={source}", "python3 code/train/train.py"),
    )
    machine.succeeded("rsync")
    assert machine.said("rsync")[-1].endswith("from rsync")


def test_an_mpijob_reaches_its_workers(machine: Machine) -> None:
    machine.submit(
        *("mpijob", "--name=mpi", "--image=none", "--workers=2", "--working-dir=/tmp", "--sshPort=33"),
        'for host in $(cut -d" " -f1 /etc/mpi/hostfile); do /etc/mpi/kubexec.sh $host "echo at \\$HOSTNAME"; done',
    )
    machine.succeeded("mpi")
    assert [line for line in machine.said("mpi") if line.startswith("[launcher]")] == [
        "[launcher] at mpi-worker-0",
        "[launcher] at mpi-worker-1",
    ]


def test_two_tensorboards_show_the_events_of_their_jobs_and_go_with_them(machine: Machine) -> None:
    for name in ("one", "two"):
        machine.submit(
            *("pytorchjob", f"--name={name}", "--image=none", "--working-dir=/tmp", "--tensorboard"),
            f"echo of-{name} > /training_logs/events",
        )
        machine.succeeded(name)
    for name in ("one", "two"):
        address = until(lambda name=name: _address(machine, name), "an address of TensorBoard")  # type: ignore[misc]
        assert until(lambda address=address: _fetched(f"{address}/events"), "events") == f"of-{name}\n"  # type: ignore[misc]
    assert machine.cli("delete", "one", "two").returncode == 0
    until(lambda: not machine.objects("deployments"), "the end of both Deployments")
    until(lambda: "tensorboard" not in str(machine.objects("services")), "the end of both Services")


def _address(machine: Machine, name: str) -> str:
    shown = machine.cli("get", name).stdout
    return next((line.strip() for line in shown.splitlines() if line.strip().startswith("http://")), "")


def _fetched(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def test_a_job_that_cannot_have_its_files_is_deleted_again(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "a.ini").write_text("a\n")
    assert machine.cli("apply", "-f", "-", text=_TAKEN).returncode == 0
    done = machine.cli(
        *("submit", "pytorchjob", "--name=torn", "--image=none", "--working-dir=/tmp"),
        *(f"--config-file={tmp_path}/a.ini:/etc/a.ini", "sleep 60"),
    )
    assert done.returncode == 5
    assert "configmap/torn-files exists already" in done.stderr
    assert "so the job was deleted again" in done.stderr
    until(lambda: machine.cli("get", "pytorchjob", "torn").returncode == 3, "the end of the job")


_TAKEN = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "torn-files"}}'


def test_a_job_is_submitted_once_more_with_its_files(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "a.ini").write_text("a = 1\n")
    machine.submit(
        *("pytorchjob", "--name=first", "--image=none", "--working-dir=/tmp"),
        *(f"--config-file={tmp_path}/a.ini:/etc/app/a.ini", 'cat /etc/app/a.ini; echo "$MORE"'),
    )
    machine.succeeded("first")
    path = "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].env[0]"
    again = machine.cli("resubmit", "first", "--name=second", "--set", f"{path}.name=MORE", "--set", f"{path}.value=b")
    assert again.stdout == "pytorchjob.kubeflow.org/second created\nconfigmap/second-files created\n", again.stderr
    machine.succeeded("second")
    assert machine.said("second") == ["a = 1", "b"]


def test_code_that_was_sent_along_is_sent_once_more(machine: Machine, tmp_path: Path) -> None:
    """Also in place of itself: the ConfigMap goes with the old job, and is there again before the new one needs it."""
    (tmp_path / "speaks.py").write_text("import words\nprint(words.SAID)\n")
    (tmp_path / "words.py").write_text("SAID = 42\n")
    run = machine.cli("run", "--name", "speaks", "--code", "configmap", str(tmp_path / "speaks.py"))
    assert (run.returncode, run.stdout) == (0, "42\n"), run.stderr
    other = machine.cli("resubmit", "speaks", "--name", "echoes", "--wait")
    assert (other.returncode, "configmap/echoes-code created" in other.stdout) == (0, True), other.stderr
    again = machine.cli("resubmit", "speaks", "--replace", "--wait", "--timeout", "60s")
    assert (again.returncode, "configmap/speaks-code created" in again.stdout) == (0, True), again.stderr
    assert machine.said("speaks") == machine.said("echoes") == ["42"]


def test_a_job_whose_files_are_gone_is_not_made_again(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "a.ini").write_text("a = 1\n")
    machine.submit("pytorchjob", "--name=lost", "--image=none", f"--config-file={tmp_path}/a.ini:/etc/a.ini", "true")
    machine.succeeded("lost")
    assert machine.cli("delete", "configmap/lost-files").returncode == 0
    for words in (("--replace",), ("--name", "found")):
        refused = machine.cli("resubmit", "lost", *words)
        assert (refused.returncode, refused.stdout) == (5, "")
        assert "lost brought the ConfigMap lost-files, which is gone" in refused.stderr
    assert machine.cli("get", "pytorchjob/lost").returncode == 0


def test_only_a_job_that_has_ended_is_replaced(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "a.ini").write_text("a = 1\n")
    machine.submit(
        *("pytorchjob", "--name=turn", "--image=none", "--working-dir=/tmp"),
        *(
            f"--config-file={tmp_path}/a.ini:/etc/a.ini",
            f"--data-dir={tmp_path}",
            f"until [ -e {tmp_path}/go ]; do sleep 0.05; done",
        ),
    )
    early = machine.cli("resubmit", "turn", "--replace")
    assert (early.returncode, "turn has not ended" in early.stderr) == (5, True)
    before = machine.object("pytorchjob", "turn")["metadata"]["uid"]
    (tmp_path / "go").touch()
    machine.succeeded("turn")
    replaced = machine.cli("resubmit", "turn", "--replace", "--wait")
    assert replaced.returncode == 0, replaced.stderr
    assert machine.object("pytorchjob", "turn")["metadata"]["uid"] != before
    assert machine.object("configmap", "turn-files")["data"] == {"a.ini": "a = 1\n"}
