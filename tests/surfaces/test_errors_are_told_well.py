"""What happened and why, then a hint; on stderr; with an exit status that scripts can use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corral.errors import BugError, PermanentError, RetryError
from corral.surfaces.cli.speech.exit_codes import exit_status
from corral.surfaces.cli.speech.spoken import spoken
from tests.surfaces.conftest import Cli
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]


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


@pytest.mark.parametrize("words", [("help",), ("--version",), ("version",), ("up", "--help")], ids=" ".join)
def test_a_reader_who_has_left_is_no_failure(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "corral", *words]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "error",
    [PermissionError(13, "Permission denied", "/etc/shadow"), BrokenPipeError(32, "Broken pipe")],
    ids=["a file", "a connection"],
)
def test_what_else_the_system_refuses_is_a_fault_with_its_place(
    error: OSError, typed: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("corral.assembly.kubeconfig_path", refuse)
    plain, traced = typed("kubeconfig"), typed("--debug", "kubeconfig")
    assert plain.status == traced.status == 70
    assert f"error: {type(error).__name__}: {error}" in plain.err
    assert "in refuse\n" in traced.err


@pytest.mark.parametrize(
    ("cause", "want_status", "want"),
    [
        (KeyError("a ring"), 70, "error: KeyError: 'a ring'"),
        (PermanentError("file-missing", "there is no such file"), 1, "error: there is no such file"),
    ],
    ids=["a fault of ours", "an error that is known"],
)
def test_of_tasks_that_failed_together_the_first_cause_is_told(
    cause: Exception, want_status: int, want: str, typed: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("inside", [cause])])

    monkeypatch.setattr("corral.assembly.kubeconfig_path", fail)
    found = typed("kubeconfig")
    assert (found.status, found.err.splitlines()[0]) == (want_status, want)


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


@pytest.mark.parametrize(
    "words",
    [
        ("--fake-nodes", "many"),
        ("--fake-nodes", "2x8:V100", "--api-only"),
        ("--fake-nodes", "none", "--fake-nodes", "2x8"),
    ],
)
def test_fake_nodes_that_cannot_be_are_one_line_and_a_hint(cli: Cli, corral_home: Path, words: tuple[str, ...]) -> None:
    done = cli("up", *words)
    assert (done.returncode, done.stdout) == (2, "")
    told, hint = done.stderr.splitlines()
    assert told.startswith("error: --fake-nodes ")
    assert hint.startswith("hint: ")
    assert not corral_home.exists()


WRONG_LINES: dict[str, tuple[str, str, str]] = {
    "a missing argument": ("logs", "missing argument 'JOB'", "`corral logs JOB`"),
    "a missing option": (
        "apply",
        "missing option '-f' / '--filename'",
        "`corral apply --filename FILE`",
    ),
    "a bad choice": (
        "list --color alway",
        "invalid value for '--color': 'alway' is not one of 'auto', 'always', 'never'",
        'did you mean "always"?',
    ),
    "a bad form": (
        "list -o jsn",
        "invalid value for '-o' / '--output': 'jsn' is not one of wide, json, yaml, name, jsonpath=TEMPLATE",
        'did you mean "json"?',
    ),
    "an option of another command": (
        "list --fake-nodes",
        "no such option '--fake-nodes'",
        "--fake-nodes belongs to up",
    ),
    "a flag of the script that is like none of ours": (
        "submit pytorchjob --name x --image i python train.py --lr 0.1",
        "no such option '--lr'",
        "flags of your own command stand in quotes with it, or behind `--`",
    ),
    "a flag of the script that is like one of ours": (
        "submit pytorchjob --name x --image i python train.py --num-workers 4",
        "no such option '--num-workers'",
        'did you mean "--workers"? Flags of your own command stand in quotes with it, or behind `--`',
    ),
    "an option before its command": (
        "--follow logs x",
        "no such option '--follow'",
        "--follow stands behind a command, if it takes it: `corral COMMAND --follow ...`",
    ),
    "an unknown command of a group": ("config vew", 'there is no command "corral config vew"', 'did you mean "view"?'),
    "an unknown command of a group of types": (
        "submit tfjobb",
        'there is no command "corral submit tfjobb"',
        'did you mean "tfjob"?',
    ),
    "a word too many": (
        "status now",
        "got unexpected extra argument (now)",
        "`corral status --help` shows how it is used",
    ),
    "an option without its value": (
        "logs x --tail",
        "option '--tail' requires an argument",
        "the same line with --help shows how it is used",
    ),
    "a number that is none": (
        "up --port many",
        "invalid value for '--port': 'many' is not a valid integer range",
        "`corral up --help` shows how it is used",
    ),
    "a namespace that can be none": (
        "list -n A_B",
        "'A_B' cannot be a namespace",
        "it is made of a-z, 0-9 and -, at most 63 of them",
    ),
    "a command of Arena that comes later": (
        "serve list",
        "corral serve is not there: serving comes later",
        "until then, a Deployment and a Service: `corral apply -f serving.yaml`",
    ),
}


@pytest.mark.parametrize("case", WRONG_LINES)
def test_a_wrong_line_is_one_error_and_one_hint(case: str, typed: Typing) -> None:
    line, error, hint = WRONG_LINES[case]
    assert typed(*line.split()) == (2, "", f"error: {error}\nhint: {hint}\n")


def test_what_was_typed_cannot_steer_a_terminal(typed: Typing) -> None:
    refused = typed("\x1b]0;owned\x07", "x")
    assert refused.status == 2
    assert [sign for sign in refused.err if not sign.isprintable()] == ["\n", "\n"]


def test_debugging_shows_every_request_and_where_an_error_comes_from(typed: Typing, tmp_path: Path) -> None:
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "a-secret-token"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    shown = typed("get", "pods", "--debug")
    assert shown.status == 8
    assert "GET /api/v1/namespaces/default/pods" in shown.err
    assert "Traceback (most recent call last):" in shown.err
    assert shown.err.splitlines()[-1].startswith("hint: ")
    assert "a-secret-token" not in shown.err
    assert "Traceback" not in typed("get", "pods").err
    assert "GET /api" in typed("get", "pods", "--loglevel", "debug").err
