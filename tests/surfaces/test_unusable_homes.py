"""Whatever the operating system refuses below CORRAL_HOME is one line and a way out, never a traceback."""

import json
from pathlib import Path

import pytest

from corral.engine.doctor.household import try_to_make
from tests.surfaces.conftest import Cli


@pytest.fixture(params=["a file", "below a file", "/dev/null", "a name that is too long"])
def corral_home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("")
    homes = {
        "a file": tmp_path / "file",
        "below a file": tmp_path / "file" / "home",
        "/dev/null": Path("/dev/null"),
        "a name that is too long": tmp_path / ("x" * 300),
    }
    return homes[request.param]


@pytest.mark.parametrize("verb", ["up", "status", "down", "kubeconfig"])
def test_an_unusable_home_is_an_error_with_a_hint(cli: Cli, corral_home: Path, verb: str) -> None:
    done = cli(verb)
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()
    assert error.startswith(f"error: the home {corral_home} cannot be used: ")
    assert hint == "hint: set CORRAL_HOME to a folder that exists or can be made"


def test_doctor_does_not_crash_and_does_not_call_it_good(cli: Cli) -> None:
    done = cli("doctor", "-o", "json")
    levels = {finding["subject"]: finding["level"] for finding in json.loads(done.stdout)}
    assert (done.returncode, levels["home"]) == (1, "fail")


def test_trying_whether_a_folder_can_be_made_leaves_nothing(tmp_path: Path) -> None:
    try_to_make(str(tmp_path / "a" / "b" / "c"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="too long"):
        try_to_make(str(tmp_path / "a" / ("x" * 300)))
    assert list(tmp_path.iterdir()) == []
