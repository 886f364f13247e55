"""Changing jobs from the command line: values, trials, differences, waiting, suspending and deleting many."""

import json
import signal
from collections.abc import Iterator

import pytest
import yaml

from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, Running, hollow_stage, until
from tests.surfaces.inside.process_stage import Terminal

FOREVER = Part(seconds=None)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("acted") / "a home") as made:
        yield made


def stored(stage: HollowStage, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(stage.cli("get", f"pytorchjob/{name}", "-o", "json").stdout)
    return found


# --- apply ---


def test_values_are_set_in_what_is_applied(stage: HollowStage) -> None:
    file = str(stage.job("set", master=FOREVER, workers=0))
    words = ("--set", "spec.runPolicy.backoffLimit=7", "--set", 'metadata.labels["corral.dev/team"]=vision')
    done = stage.cli("apply", "-f", file, *words, "-o", "name")
    assert (done.returncode, done.stdout) == (0, "pytorchjob.kubeflow.org/set\n"), done.stderr
    job = json.loads(stage.cli("get", "pytorchjob/set", "-o", "json").stdout)
    assert (job["spec"]["runPolicy"]["backoffLimit"], job["metadata"]["labels"]["corral.dev/team"]) == (7, "vision")


def test_a_client_shows_what_it_would_send_without_asking_anybody(stage: HollowStage) -> None:
    file = str(stage.job("shown", workers=0))
    done = stage.cli("apply", "-f", file, "--dry-run=client", "-o", "yaml", "--set", "a.b=1", CORRAL_CONTEXT="nowhere")
    assert (done.returncode, done.stderr) == (0, "")
    assert yaml.safe_load(done.stdout) == {**json.loads(stage.job("shown", workers=0).read_text()), "a": {"b": 1}}
    assert (
        stage.cli("apply", "-f", file, "--dry-run").stdout == "pytorchjob.kubeflow.org/shown applied (client dry run)\n"
    )


def test_a_server_says_what_it_would_make_of_it(stage: HollowStage) -> None:
    file = str(stage.job("tried", workers=0))
    done = stage.cli("apply", "-f", file, "--dry-run=server", "-o", "json")
    assert (done.returncode, json.loads(done.stdout)["metadata"]["namespace"]) == (0, "default"), done.stderr
    assert stage.cli("apply", "-f", file, "--dry-run=server").stdout == (
        "pytorchjob.kubeflow.org/tried created (server dry run)\n"
    )
    assert stage.cli("get", "pytorchjob/tried").returncode == 3


@pytest.mark.parametrize(
    ("words", "want"),
    {
        ("--set", "spec"): "PATH=VALUE",
        ("--set", "spec.pytorchReplicaSpecs.Master.replicas[0]=1"): "replicas is a number, not a list",
        ("--set", "TFJob:spec.x=1"): "is for a TFJob, and there is none",
        ("--set", "metadata.name=null"): "metadata.name of the PyTorchJob is missing",
        ("--set", "kind=3"): "kind is missing or not text",
        ("--set", "spec.unknown=1"): "unknown",
        ("--timeout", "3s"): "add --wait",
        ("--wait", "--dry-run=server"): "leave out --wait or --dry-run",
        ("--dry-run=maybe",): "maybe",
    }.items(),
)
def test_what_cannot_be_applied_is_refused_and_nothing_is_made(
    stage: HollowStage, words: tuple[str, ...], want: str
) -> None:
    done = stage.cli("apply", "-f", str(stage.job("refused", workers=0)), *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert want in done.stderr
    assert stage.cli("get", "pytorchjob/refused").returncode == 3


@pytest.mark.parametrize(("code", "words", "want"), [(0, (), 0), (3, (), 1), (3, ("--propagate",), 3)])
def test_an_applied_job_is_waited_for(stage: HollowStage, code: int, words: tuple[str, ...], want: int) -> None:
    name = f"awaited-{code}-{len(words)}"
    file = str(stage.job(name, workers=0, master=Part(exit_codes=(code,))))
    done = stage.cli("apply", "-f", file, "--wait", "--timeout", "60s", *words)
    assert done.returncode == want, done.stderr
    assert (f"{name} has succeeded" in done.stdout) == (code == 0)


# --- diff ---


def test_differences_are_those_that_applying_would_make(stage: HollowStage) -> None:
    file = str(stage.job("compared", workers=0, master=FOREVER))
    new = stage.cli("diff", "-f", file)
    assert (new.returncode, new.stderr) == (1, "")
    assert "+++ then/pytorchjob.kubeflow.org/compared" in new.stdout
    assert stage.cli("apply", "-f", file).returncode == 0
    same = stage.cli("diff", "-f", file)
    assert (same.returncode, same.stdout, same.stderr) == (0, "", "")
    other = stage.cli("diff", "-f", file, "--set", "spec.runPolicy.backoffLimit=3")
    changed = [line for line in other.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert (other.returncode, [line.split()[-2:] for line in changed][-1]) == (1, ["backoffLimit:", "3"])
    assert "managedFields" not in other.stdout + new.stdout
    assert "backoffLimit" not in json.dumps(stored(stage, "compared"))


def test_differences_that_cannot_be_told_are_more_than_1(stage: HollowStage) -> None:
    file = str(stage.job("odd", workers=0))
    assert stage.cli("diff", "-f", file, "--set", "spec.unknown=1").returncode == 2
    assert stage.cli("diff", "-f", "no-such-file").returncode == 2
    assert stage.cli("diff", "-f", file, CORRAL_CONTEXT="nowhere").returncode == 2


def test_differences_are_coloured_on_a_terminal(stage: HollowStage) -> None:
    with Terminal(stage.home, "diff", "-f", str(stage.job("painted", workers=0))) as terminal:
        terminal.until("\x1b[32m+apiVersion: kubeflow.org/v1\x1b[0m")
        assert terminal.end() == 1


# --- wait ---


def test_conditions_are_waited_for_as_with_kubectl(stage: HollowStage) -> None:
    stage.submit("condition", workers=0, master=FOREVER)
    done = stage.cli("wait", "condition", "--for=condition=running", "--timeout", "60s")
    assert (done.returncode, done.stdout) == (0, "pytorchjob.kubeflow.org/condition has the condition running\n")
    late = stage.cli("wait", "condition", "--for", "condition=Succeeded", "--timeout", "1s")
    assert (late.returncode, "has not the condition Succeeded after 1 s" in late.stderr) == (7, True)
    pod = stage.cli("wait", "pod/condition-master-0", "--for", "condition=Ready", "--timeout", "60s")
    assert pod.returncode == 0, pod.stderr
    assert stage.cli("wait", "condition", "--for", "sunshine").returncode == 2


def test_the_end_of_a_job_ends_the_waiting_for_a_condition(stage: HollowStage) -> None:
    stage.submit("over", workers=0, master=Part(exit_codes=(5,)))
    done = stage.cli("wait", "over", "--for", "condition=Succeeded", "--timeout", "60s")
    assert done.returncode == 1
    assert stage.cli("wait", "over", "-T", "pytorch", "--propagate").returncode == 5
    assert stage.cli("wait", "over", "-T", "tf").returncode == 3


def test_a_job_is_waited_for_until_it_is_gone(stage: HollowStage) -> None:
    stage.submit("leaving", workers=0, master=FOREVER)
    with Running(stage.home, "wait", "leaving", "--for", "delete") as waiting:
        until(waiting.has_spoken_to_the_api, "the wait has begun")
        assert stage.cli("delete", "leaving").returncode == 0
        status, told = waiting.end()
    assert (status, waiting.lines) == (0, ["pytorchjob.kubeflow.org/leaving is gone\n"]), told
    assert stage.cli("wait", "leaving", "--for", "delete").returncode == 0


def test_an_interrupted_wait_says_that_the_job_goes_on(stage: HollowStage) -> None:
    stage.submit("goes-on", workers=0, master=FOREVER)
    with Running(stage.home, "wait", "goes-on") as waiting:
        until(waiting.has_spoken_to_the_api, "the wait has begun")
        waiting.process.send_signal(signal.SIGINT)
        status, told = waiting.end()
    assert (status, told.splitlines()[0]) == (130, "no longer waiting; goes-on goes on")


# --- suspend ---


def test_what_has_ended_is_not_suspended_and_keeps_no_other_back(stage: HollowStage) -> None:
    stage.submit("ended", workers=0)
    stage.submit("goes", workers=0, master=FOREVER)
    assert stage.cli("wait", "ended", "--timeout", "60s").returncode == 0
    done = stage.cli("suspend", "ended", "goes")
    assert (done.returncode, done.stdout) == (5, "pytorchjob.kubeflow.org/goes suspended\n")
    assert "ended has succeeded; it cannot be suspended any more" in done.stderr
    assert stage.cli("resume", "ended").stdout == "pytorchjob.kubeflow.org/ended is not suspended\n"
    assert stage.cli("suspend", "configmap/kube-root-ca.crt").returncode in (2, 3)


# --- delete ---


def test_many_jobs_are_shown_before_they_are_deleted(stage: HollowStage) -> None:
    for name in ("many-1", "many-2"):
        file = str(stage.job(name, workers=0, master=FOREVER))
        assert stage.cli("apply", "-f", file, "--set", "metadata.labels.team=bulk").returncode == 0
    refused = stage.cli("delete", "-l", "team=bulk")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "2 training jobs in namespace default:" in refused.stderr
    assert refused.stderr.splitlines()[-1] == "hint: -y deletes them without asking"
    with Terminal(stage.home, "delete", "-l", "team=bulk") as terminal:
        terminal.until("many-1")
        terminal.until("Type 2 to delete them")
        terminal.type("yes\n")
        terminal.until("nothing was deleted")
        assert terminal.end() == 2
    with Terminal(stage.home, "delete", "-l", "team=bulk") as terminal:
        terminal.until("Type 2 to delete them")
        terminal.type("2\n")
        terminal.until("The training job many-1 has been deleted successfully")
        assert terminal.end() == 0
    assert stage.cli("list", "-l", "team=bulk", "-o", "name").stdout == ""


def test_all_jobs_of_a_type_go_when_one_is_sure(stage: HollowStage) -> None:
    stage.submit("one-of-all", workers=0, master=FOREVER)
    none = stage.cli("delete", "--all", "-T", "tfjob", "-y")
    assert (none.returncode, none.stdout) == (0, "")
    done = stage.cli("delete", "--all", "-T", "pytorchjob", "-y")
    assert (done.returncode, "pytorchjob.kubeflow.org/one-of-all deleted" in done.stdout) == (0, True)
    assert stage.cli("list", "-o", "name").stdout == ""
    assert stage.cli("delete", "--all", "digits").returncode == 2
