"""What happened and why, then a hint; on stderr; with an exit status that scripts can use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from corral.errors import BugError, PermanentError, RetryError
from corral.surfaces.cli.exit_codes import exit_status
from corral.surfaces.cli.spoken import spoken
from tests.surfaces.conftest import Cli


@pytest.mark.parametrize(
    ("error", "want_status"),
    [
        (PermanentError("port-taken", "m"), 1),
        (PermanentError("not-running", "m"), 3),
        (RetryError("not-ready", "m"), 75),
        (BugError("oops", "m"), 70),
    ],
)
def test_each_family_has_its_exit_status(error: PermanentError, want_status: int) -> None:
    assert exit_status(error) == want_status


def test_an_error_reads_as_what_happened_and_a_hint() -> None:
    assert spoken(PermanentError("x", "the port is taken", hint="choose another")) == (
        "error: the port is taken\nhint: choose another"
    )


def test_a_fault_of_ours_asks_for_a_report() -> None:
    assert "please report it" in spoken(BugError("odd-answer", "the server said 42"))


def test_errors_go_to_stderr_and_leave_stdout_empty(cli: Cli, corral_home: Path) -> None:
    corral_home.write_text("a file")
    done = cli("up")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("hint: ")


def test_a_missing_kubeconfig_is_an_error_that_still_names_the_path(cli: Cli, corral_home: Path) -> None:
    """`export KUBECONFIG=$(corral kubeconfig)` must never come out empty: kubectl would take the user's own one."""
    done = cli("kubeconfig")
    assert (done.returncode, done.stdout) == (1, f"{corral_home}/kubeconfig\n")
    assert done.stderr.splitlines()[-1] == "hint: run `corral up` first"


def test_an_answer_that_cannot_be_written_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "corral", "version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith("error: the answer cannot be written")
    assert "Traceback" not in done.stderr


def test_an_unknown_command_is_a_usage_error(cli: Cli) -> None:
    done = cli("upp")
    assert done.returncode == 2
    assert done.stderr == 'error: there is no command "corral upp"\nhint: did you mean "up"?\n'


def test_corral_alone_shows_what_there_is(cli: Cli) -> None:
    done = cli()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == cli("--help").stdout


def test_a_group_alone_shows_its_commands_and_is_a_usage_error(cli: Cli) -> None:
    done = cli("image")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == cli("image", "--help").stdout


def test_an_unknown_option_is_told_what_is_near(cli: Cli) -> None:
    done = cli("logs", "digits", "--folow")
    assert (done.returncode, done.stderr) == (2, "error: no such option '--folow'\nhint: did you mean \"--follow\"?\n")


def test_errors_are_objects_for_who_asks_for_json(cli: Cli) -> None:
    done = cli("get", "-o", "json", "--al")
    assert done.returncode == 2
    told = json.loads(done.stderr)["error"]
    assert told == {
        "code": "usage",
        "message": "no such option '--al'",
        "hint": 'did you mean "--all-namespaces"?',
        "retryable": False,
    }


@pytest.mark.parametrize("flag", ["--trace", "--pprof", "--helm-binary=x", "--arena-namespace=x"])
def test_what_arena_takes_and_nobody_can_honour_is_refused(cli: Cli, flag: str) -> None:
    done = cli("get", flag)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2)
    assert done.stderr.startswith(f"error: {flag.partition('=')[0]} is not taken\nhint: ")


def test_a_port_out_of_range_is_a_usage_error(cli: Cli) -> None:
    assert cli("up", "--port", "70000").returncode == 2


@pytest.mark.parametrize("words", [("--fake-nodes", "many"), ("--fake-nodes", "2x8:V100", "--api-only")])
def test_fake_nodes_that_cannot_be_are_one_line_and_a_hint(cli: Cli, corral_home: Path, words: tuple[str, ...]) -> None:
    done = cli("up", *words)
    assert (done.returncode, done.stdout) == (1, "")
    told, hint = done.stderr.splitlines()
    assert told.startswith("error: --fake-nodes ")
    assert hint.startswith("hint: ")
    assert not corral_home.exists()
