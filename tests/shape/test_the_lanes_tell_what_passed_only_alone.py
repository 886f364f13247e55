"""`make test` looks again at what failed beside other tests, and nobody can overlook what it saw."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.shape import ROOT

PASSES = "def test_one() -> None: pass\n"
FAILS = "def test_bad() -> None: assert False\n"
SOMETIMES = """
from pathlib import Path

def test_shaky() -> None:
    seen = Path(__file__).with_suffix(".seen")
    before = seen.read_text() if seen.exists() else ""
    seen.write_text(before + "x")
    assert len(before) + 1 not in {bad}
"""
SKIPS = "import pytest\n\ndef test_far() -> None: pytest.skip('far')\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with one test in each lane."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/tests.py", tmp_path / "tools/tests.py")
    for folder in ("training", "node", "examples", "surfaces"):
        write(tmp_path, folder, PASSES)
    return tmp_path


def write(tree: Path, folder: str, text: str, name: str = "test_it.py") -> None:
    (tree / "tests" / folder).mkdir(parents=True, exist_ok=True)
    (tree / "tests" / folder / name).write_text(text)


def run(tree: Path) -> tuple[int, list[str]]:
    command = [sys.executable, "tools/tests.py", "--import-mode=importlib"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout.splitlines()


def test_the_last_line_counts_all_lanes(tree: Path) -> None:
    write(tree, "node", SKIPS, "test_far.py")
    status, lines = run(tree)
    assert (status, lines[-1]) == (0, "4 passed, 0 failed, 1 skipped")
    assert "tests: node: 2 passed, 0 failed, 1 skipped" in lines


def test_what_passed_only_alone_is_named_at_the_end_and_kept(tree: Path) -> None:
    write(tree, "training", SOMETIMES.replace("{bad}", "(1,)"), "test_shaky.py")
    status, lines = run(tree)
    name = "tests/training/test_shaky.py::test_shaky"
    assert (status, lines[-1]) == (0, "5 passed, 0 failed, 0 skipped")
    assert f"tests: training: 2 passed, 0 failed, 0 skipped; 1 of these passed only alone: {name}" in lines[-5:]
    assert lines[-2].startswith("tests: 1 passed only alone, and want mending")
    kept = (tree / ".cache/tests-that-passed-only-alone.txt").read_text()
    assert kept.endswith(f" {name}\n")


@pytest.mark.parametrize("bad", ["(1, 3)", "(1, 2)"], ids=["fails the second time alone", "fails the first time alone"])
def test_a_test_must_pass_twice_alone(tree: Path, bad: str) -> None:
    write(tree, "surfaces", SOMETIMES.replace("{bad}", bad), "test_shaky.py")
    status, lines = run(tree)
    assert (status, lines[-1]) == (1, "4 passed, 1 failed, 0 skipped")


def test_many_failures_are_nobody_elses_fault(tree: Path) -> None:
    write(tree, "node", "".join(FAILS.replace("bad", f"bad_{number}") for number in range(7)))
    status, lines = run(tree)
    assert (status, lines[-1]) == (1, "3 passed, 7 failed, 0 skipped")
    assert "tests: 7 failed in node, too many to be looked at again" in lines
