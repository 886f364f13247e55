"""Command lines of Arena on one machine: what is typed reaches real processes."""

from pathlib import Path

import pytest

from corral.kinds.submission.catalogue import WORDS
from corral.kinds.submission.submission import WORKING_DIR
from tests.submission.machine import Machine

MEET = 'touch "$MEET/$HOSTNAME"; until [ "$(ls "$MEET" | wc -l)" -ge {count} ]; do sleep 0.05; done'
"""Ends in no process before all have come: what is left running when the first ends well is ended."""


def test_every_rank_of_a_pytorchjob_runs_the_command_with_its_variables(machine: Machine, tmp_path: Path) -> None:
    machine.submit(
        *("pytorchjob", "--name=ranks", "--image=none", "--workers=3", "-e", "LIST=a,b c", "--working-dir=/tmp"),
        *(f"--data-dir={tmp_path}:/meet", "--env=MEET=/meet"),
        'echo "rank $RANK of $WORLD_SIZE, workers=$workers gpus=$gpus $LIST $NVIDIA_VISIBLE_DEVICES in $(pwd)"; '
        + MEET.format(count=3),
    )
    machine.succeeded("ranks")
    said = sorted(line.partition("] ")[2] for line in machine.said("ranks"))
    assert said == [f"rank {rank} of 3, workers=3 gpus=0 a,b c void in /tmp" for rank in range(3)]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["ranks-master-0", "ranks-worker-0", "ranks-worker-1"]


def test_a_name_that_is_taken_is_a_conflict_and_changes_nothing(machine: Machine) -> None:
    machine.submit("pytorchjob", "--name=once", "--image=none", "--working-dir=/tmp", "true")
    again = machine.cli("submit", "pytorchjob", "--name=once", "--image=other", "--working-dir=/tmp", "false")
    assert again.returncode == 5
    assert "pytorchjob.kubeflow.org/once exists already in namespace default" in again.stderr
    assert "hint: choose another name" in again.stderr
    machine.succeeded("once")


def test_after_submit_three_lines_say_how_to_go_on(machine: Machine) -> None:
    done = machine.cli("submit", "pytorchjob", "--name=lines", "--image=none", "--working-dir=/tmp", "true")
    assert done.stdout == "pytorchjob.kubeflow.org/lines created\n"
    target, *hints = done.stderr.splitlines()
    assert target.startswith("submitting to embedded")
    assert [line.split("  ")[1] for line in hints] == [
        "corral logs -f lines",
        "corral why lines",
        "corral delete lines",
    ]


def test_quietly_only_the_name_is_printed(machine: Machine) -> None:
    done = machine.cli("submit", "pytorchjob", "--name=still", "--image=none", "--working-dir=/tmp", "-q", "true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "still\n", "")


def test_waiting_passes_the_code_of_the_training_on(machine: Machine) -> None:
    start = ("submit", "pytorchjob", "--image=none", "--working-dir=/tmp", "--wait")
    assert machine.cli(*start, "--name=good", "true").returncode == 0
    assert machine.cli(*start, "--name=bad", "exit 7").returncode == 1
    assert machine.cli(*start, "--name=seven", "--propagate", "exit 7").returncode == 7
    late = machine.cli(*start, "--name=late", "--timeout=1s", "sleep 60")
    assert (late.returncode, "has not succeeded after 1 s" in late.stderr) == (7, True)


def test_what_a_job_names_must_be_there(machine: Machine) -> None:
    start = ("submit", "pytorchjob", "--name=needy", "--image=none", "--working-dir=/tmp")
    priority = machine.cli(*start, "--priority=nobody", "true")
    assert (priority.returncode, "--priority: there is no PriorityClass nobody" in priority.stderr) == (3, True)
    claim = machine.cli(*start, "--data=nothing:/data", "true")
    wanted = "--data: there is no PersistentVolumeClaim nothing in namespace default"
    assert (claim.returncode, wanted in claim.stderr) == (3, True)
    assert machine.cli("get", "pytorchjob", "needy").returncode == 3


def test_a_name_that_a_pod_has_is_refused(machine: Machine) -> None:
    machine.submit("pytorchjob", "--name=father", "--image=none", "--working-dir=/tmp", "true")
    machine.succeeded("father")
    done = machine.cli("submit", "pytorchjob", "--name=father-master-0", "--image=none", "true")
    assert done.returncode == 2
    assert "--name: father-master-0 is the name of a pod of the job father" in done.stderr


def test_a_dry_run_of_the_server_checks_and_makes_nothing(machine: Machine) -> None:
    start = ("submit", "tfjob", "--name=dry", "--image=none", "--dry-run=server", "--tensorboard", "true")
    names = machine.cli(*start, "-o", "name")
    assert names.stdout.split() == [
        "tfjob.kubeflow.org/dry",
        "service/dry-tensorboard",
        "deployment.apps/dry-tensorboard",
    ], names.stderr
    bad = machine.cli(*start, "--set", "spec.unknown=1")
    assert (bad.returncode, 'unknown field "spec.unknown"' in bad.stderr) == (2, True)
    assert machine.cli("get", "tfjob", "dry").returncode == 3


def test_the_same_key_makes_a_job_once(machine: Machine) -> None:
    words = ("submit", "pytorchjob", "--name=key", "--image=none", "--working-dir=/tmp", "--idempotency-key=7", "true")
    first, second = machine.cli(*words), machine.cli(*words)
    assert (first.stdout, second.stdout) == (
        "pytorchjob.kubeflow.org/key created\n",
        "pytorchjob.kubeflow.org/key unchanged\n",
    )
    other = machine.cli(*[word.replace("=7", "=8") for word in words])
    assert other.returncode == 5


def test_the_same_key_makes_what_a_broken_submission_lacks(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "recipe").write_text("rate: 1")
    words = ("submit", "pytorchjob", "--name=broken", "--image=none", "--working-dir=/tmp", "--idempotency-key=9")
    whole = (*words, f"--config-file={tmp_path / 'recipe'}:/recipe", "true")
    assert machine.cli(*whole).returncode == 0
    assert machine.cli("delete", "configmap/broken-files").returncode == 0
    assert machine.cli(*whole).returncode == 0
    assert machine.cli("get", "configmap", "broken-files", "-o", "name").stdout == "configmap/broken-files\n"


def test_every_type_is_taken_by_the_api(machine: Machine) -> None:
    """The objects of all types pass the definitions and rules of the server."""
    flags = ("--image=none", "--workers=2", "--gang", "--dry-run=server", "-o", "name", "true")
    refused = {
        word: done.stderr for word in WORDS if (done := machine.cli("submit", word, "--name=t", *flags)).returncode
    }
    assert refused == {}


def test_a_job_starts_in_the_folder_in_which_it_was_typed(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in the home of root, which other users cannot enter."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text("pwd\n")
    machine.submit("pytorchjob", "--name=where", "--image=none", "sh train.sh")
    machine.succeeded("where")
    assert [line.partition("] ")[2] or line for line in machine.said("where")] == [str(tmp_path)]


def test_a_folder_that_was_given_counts_on_one_machine_too(machine: Machine) -> None:
    shown = machine.cli(
        *("submit", "pytorchjob", "--name=given", "--image=none", "--dry-run=client", "-o", "json"),
        *("--working-dir=/opt", "true"),
    )
    assert '"workingDir": "/opt"' in shown.stdout


def test_code_that_is_fetched_stays_where_users_of_arena_look_for_it(machine: Machine) -> None:
    """Their commands name the whole path, below the home of root."""
    shown = machine.cli(
        *("submit", "pytorchjob", "--name=fetched", "--image=none", "--dry-run=client", "-o", "json"),
        *("--sync-mode=git", "--sync-source=file:///somewhere/code.git", "true"),
    )
    assert f'"workingDir": "{WORKING_DIR}"' in shown.stdout
