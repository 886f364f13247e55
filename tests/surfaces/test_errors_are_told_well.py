"""What happened and why, then a hint; on stderr; with an exit status that scripts can use."""

import pytest

from corral.errors import BugError, PermanentError, RetryError
from corral.surfaces.cli.exit_codes import exit_status
from corral.surfaces.cli.main import spoken
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


def test_errors_go_to_stderr_and_leave_stdout_empty(cli: Cli) -> None:
    done = cli("kubeconfig")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == "hint: run `corral up` first"


def test_an_unknown_command_is_a_usage_error(cli: Cli) -> None:
    done = cli("upp")
    assert done.returncode == 2
    assert "No such command 'upp'" in done.stderr


def test_a_port_out_of_range_is_a_usage_error(cli: Cli) -> None:
    assert cli("up", "--port", "70000").returncode == 2
