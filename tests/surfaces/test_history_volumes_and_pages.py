"""`corral prune`, `data list`, `whoami`, `logviewer`, and Arena's flags of `logs`."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from corral.kinds.references import ObjectKey
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM
from corral.ports.object_store import Patch
from corral.testing.hollow_node import Part
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import LIMIT, HollowStage, Running, hollow_stage, until
from tests.surfaces.narrow_rights import narrow_door

STAYS = Part(seconds=None, lines=("hello", "world"))
SAID = [f"[{rank}] {line}" for rank in ("master-0", "worker-0") for line in ("hello", "world")]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        made.submit("talks", workers=1, master=STAYS, worker=STAYS)
        assert made.cli("wait", "talks", "--for", "running", "--timeout", "60s").returncode == 0
        yield made


def _done(stage: HollowStage, name: str) -> None:
    stage.submit(name, workers=0)
    assert stage.cli("wait", name, "--timeout", "60s").returncode == 0


def test_history_is_shown_and_goes_when_somebody_is_sure(stage: HollowStage) -> None:
    _done(stage, "old-1")
    _done(stage, "old-2")
    until(lambda: len(stage.cli("prune", "-s", "1s", "--dry-run", "-o", "name").stdout.split()) == 2, "two old jobs")
    assert stage.cli("prune", "--since", "1h", "--dry-run").stdout == ""
    shown = stage.cli("prune", "--since", "1s", "--dry-run").stdout.splitlines()
    assert sorted(line.split()[0] for line in shown[1:]) == ["old-1", "old-2"]
    unasked = stage.cli("prune", "-s", "1s", text="y\n")
    assert (unasked.returncode, unasked.stdout) == (2, "")
    assert "hint: -y deletes them without asking" in unasked.stderr
    done = stage.cli("prune", "-s", "1s", "-y")
    names = sorted(done.stdout.split("\n")[:-1])
    assert (done.returncode, names) == (0, [f"pytorchjob.kubeflow.org/old-{number} deleted" for number in (1, 2)])
    left = stage.cli("list", "-o", "name").stdout
    assert "talks" in left
    assert "old" not in left
    assert stage.cli("prune", "-s", "1s", "-y").stderr.endswith("no training job has ended so long ago\n")
    assert stage.cli("prune").returncode == 2


@pytest.mark.parametrize(("typed", "status", "left"), [("n", 2, True), ("y", 0, False)])
def test_a_person_is_asked_once(stage: HollowStage, typed: str, status: int, left: bool) -> None:
    _done(stage, "asked")
    until(lambda: stage.cli("prune", "-s", "1s", "--dry-run").stdout, "an old job")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "corral", "prune", "-s", "1s"]
    pipe = subprocess.PIPE
    asking = subprocess.Popen(command, env=private_environment(stage.home), stdin=theirs, stdout=pipe, stderr=pipe)
    os.write(ours, f"{typed}\n".encode())
    _, told = asking.communicate(timeout=LIMIT)
    os.close(ours)
    os.close(theirs)
    assert asking.returncode == status, told
    assert b"Delete this training job? [y/N]" in told
    assert ("asked" in stage.cli("list", "-o", "name").stdout) is left


def test_who_does_not_want_to_be_asked_is_not_asked(stage: HollowStage) -> None:
    _done(stage, "unasked")
    until(lambda: stage.cli("prune", "-s", "1s", "--dry-run").stdout, "an old job")
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    for words, more in ((["--no-input"], {}), ([], {"CORRAL_NO_INPUT": "1"})):
        command = [sys.executable, "-m", "corral", "prune", "-s", "1s", *words]
        environment = {**private_environment(stage.home), **more}
        done = subprocess.run(command, env=environment, stdin=theirs, capture_output=True, timeout=LIMIT)
        assert (done.returncode, b"and nobody can be asked" in done.stderr) == (2, True), done.stderr
    os.close(ours)
    os.close(theirs)
    assert stage.cli("prune", "-s", "1s", "-y").stdout == "pytorchjob.kubeflow.org/unasked deleted\n"


def test_claims_are_shown_when_they_are_bound(stage: HollowStage) -> None:
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    told = {"description": "handwritten digits", "owner": "jane"}
    for name in ("images", "waiting"):
        metadata = {"name": name, "namespace": "default", "annotations": told}
        stage.client.create(PERSISTENT_VOLUME_CLAIM, {"metadata": metadata, "spec": spec})
    bound = Patch("merge", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
    stage.client.patch(PERSISTENT_VOLUME_CLAIM, ObjectKey("default", "images"), bound, subresource="status")
    lines = stage.cli("data", "list").stdout.splitlines()
    assert lines[0].split() == ["NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"]
    assert lines[1].split()[:5] == ["images", "ReadWriteMany", "handwritten", "digits", "jane"]
    everywhere = stage.cli("data", "ls", "--allNamespaces", "-o", "wide").stdout.splitlines()
    assert everywhere[0].split()[:3] == ["NAME", "NAMESPACE", "ACCESSMODE"]
    for words in ("list", "get pods", "cron list", "top job", "prune --since 1h --dry-run"):
        done = stage.cli(*words.split(), "--allNamespaces")
        assert done.returncode == 0, (words, done.stderr)
    assert stage.cli("data", "list", "-o", "name").stdout.splitlines()[0] == "persistentvolumeclaim/images"


def test_who_i_am_is_told_as_arena_tells_it(stage: HollowStage) -> None:
    assert list(json.loads(stage.cli("whoami").stdout)) == ["Name", "Id", "IsAdminUser"]
    assert stage.cli("whoami", "-o", "jsonpath={.Name} {.IsAdminUser}").stdout == "corral true"


def _page(address: str) -> tuple[int, str, dict[str, str]]:
    try:
        with urlopen(Request(address), timeout=LIMIT) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except HTTPError as error:
        with error:
            return error.code, error.read().decode(), dict(error.headers)


def test_a_page_beside_the_api_shows_the_logs_of_one_job_for_a_while(stage: HollowStage) -> None:
    told = stage.cli("logviewer", "talks").stdout.splitlines()
    assert told[0] == "Your LogViewer will be available on:"
    status, text, headers = _page(told[1])
    assert status == 200
    assert sorted(text.splitlines()[2:]) == SAID
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert headers["x-content-type-options"] == "nosniff"
    token = (stage.home / "token").read_text().strip()
    assert token not in told[1]
    for wrong in (
        told[1][:-1] + ("0" if told[1][-1] != "0" else "1"),
        told[1].replace("talks", "other"),
        told[1].partition("?")[0],
    ):
        assert _page(wrong)[0] == 403
    soon = stage.cli("logviewer", "talks", "--expires-in", "1s").stdout.splitlines()[1]
    until(lambda: _page(soon)[0] == 403, "the end of a link")
    assert stage.cli("logviewer", "nobody").returncode == 3


def test_on_a_cluster_the_command_itself_serves_the_page(stage: HollowStage) -> None:
    with (
        narrow_door(stage.home, stage.home.parent / "cluster") as kubeconfig,
        Running(stage.home, "logviewer", "talks", "--kubeconfig", str(kubeconfig)) as serving,
    ):
        serving.wait_line("http://127.0.0.1:")
        address = serving.lines[1].strip()
        status, text, headers = _page(address)
        assert (status, headers["X-Content-Type-Options"]) == (200, "nosniff")
        assert sorted(text.splitlines()) == SAID
        assert _page(address[:-1])[0] == 404
        serving.process.send_signal(signal.SIGINT)
        assert serving.end()[0] == 130


def test_logs_take_the_flags_of_arena(stage: HollowStage) -> None:
    def lines(*words: str) -> list[str]:
        done = stage.cli("logs", "talks", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert lines("-i", "talks-worker-0", "-t", "1", "-T", "pytorchjob") == ["world"]
    assert len(lines("--tail", "-1")) == 4
    assert lines("--since-time", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))) == []
    assert len(lines("--since-time", "2020-01-01T00:00:00+01:00")) == 4
    assert stage.cli("logs", "talks", "-i", "nobody").returncode == 2
    assert stage.cli("logs", "talks", "-T", "tfjob").returncode == 3
    for words in (
        ["--since-time", "2026-13-01T00:00:00Z"],
        ["--since", "1m", "--since-time", "2026-01-01T00:00:00Z"],
        ["-t", "-2"],
    ):
        assert stage.cli("logs", "talks", *words).returncode == 2
