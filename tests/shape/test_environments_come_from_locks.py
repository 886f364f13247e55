"""Set-up needs python3 and make, says in one line what is missing, and installs only what is locked by hash."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-sdk.lock")
FRAMEWORK_LOCKS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("requirements/frameworks/**/*.lock"))


def run_with(preparation: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs the tool in an interpreter that was prepared to lack something."""
    program = (
        f"import runpy, sys\n{preparation}\n"
        f"sys.argv = ['environment.py', {str(folder)!r}, {str(ROOT / 'requirements.lock')!r}]\n"
        f"runpy.run_path({str(ROOT / 'tools/environment.py')!r}, run_name='__main__')\n"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_a_python_without_venv_gets_one_clear_line(tmp_path: Path) -> None:
    done = run_with("sys.modules['ensurepip'] = None", tmp_path / "environment")
    assert done.returncode == 1
    assert done.stderr == "python3 has no venv module. hint: on Debian or Ubuntu: apt install python3-venv\n"
    assert not (tmp_path / "environment").exists()


def test_an_old_python_gets_one_clear_line(tmp_path: Path) -> None:
    done = run_with("sys.version_info = (3, 9, 2, 'final', 0)", tmp_path / "environment")
    assert done.returncode == 1
    assert done.stderr == "this python3 is 3.9; Corral needs 3.11 or newer. hint: make PYTHON=python3.12 ...\n"


def test_an_interrupted_set_up_is_one_clear_line(tmp_path: Path) -> None:
    """Ctrl-C comes while the first program runs; neither its traceback nor ours is shown."""
    preparation = (
        "import os, signal, subprocess\n"
        "wait = subprocess.Popen.wait\n"
        "def interrupted(self, *arguments):\n"
        "    subprocess.Popen.wait = wait\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return wait(self, *arguments)\n"
        "subprocess.Popen.wait = interrupted\n"
    )
    done = run_with(preparation, tmp_path / "environment")
    assert done.returncode == 130
    assert done.stderr.splitlines()[1:] == ["environment: interrupted; the same command tries again"]


def test_a_missing_python_gets_one_clear_line() -> None:
    done = subprocess.run(
        ["make", "check", "PYTHON=python3-that-is-not-there"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "python3-that-is-not-there is not there. hint: install Python 3.11 or newer" in done.stderr


@pytest.mark.parametrize("lock", [*LOCKS, *FRAMEWORK_LOCKS])
def test_a_lock_holds_names_versions_markers_and_hashes_only(lock: str) -> None:
    release = re.compile(r"[a-z0-9._-]+==[A-Za-z0-9._+!-]+( ; [^\\]+)? \\")
    digest = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
    lines = (ROOT / lock).read_text().splitlines()
    assert [line for line in lines if not release.fullmatch(line) and not digest.fullmatch(line)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_declared_dependency_is_locked(lock: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    group = next((name for name in ("dev", "sdk") if f"-{name}." in lock), "")
    declared = project["dependency-groups"][group] if group else []
    if group != "sdk":  # the SDK is the user's side, where nothing of ours is installed
        declared = declared + project["project"]["dependencies"]
    names = {re.split(r"[<>=~!\[ ]", text)[0].lower() for text in declared}
    locked = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / lock).read_text(), re.MULTILINE))
    assert names - locked == set()


@pytest.mark.parametrize("lock", FRAMEWORK_LOCKS)
def test_everything_that_a_framework_asks_for_is_locked(lock: str) -> None:
    asked = (ROOT / lock).with_suffix(".in").read_text().lower().splitlines()
    names = {re.split(r"[<>=~!\[ ;]", line)[0] for line in asked if line and not line.startswith("#")}
    locked = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / lock).read_text(), re.MULTILINE))
    assert names - locked == set()
