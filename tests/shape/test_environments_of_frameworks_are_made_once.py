"""The environment of a framework is made once, whoever asks for it how often, and never left half made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import frameworks

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def locks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lock of a framework that asks for nothing; its environment is made for the first who asks."""
    folder = tmp_path_factory.mktemp("framework") / "locks"
    folder.mkdir()
    (folder / "tiny.lock").write_text("")
    return folder


def begin(locks: Path, name: str = "tiny") -> "subprocess.Popen[str]":
    """Asks for an environment in a process of its own, with a cache of its own."""
    words = (
        f"import pathlib; from tools import frameworks; print(frameworks.make({name!r}, pathlib.Path({str(locks)!r})))"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(locks.parent / "cache")}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", words], cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def end(asked: "subprocess.Popen[str]") -> tuple[Path, str]:
    """Returns the folder that was told, and what was said about its making."""
    out, err = asked.communicate(timeout=280)
    assert asked.returncode == 0, err
    return Path(out.strip()), err


def test_two_who_ask_at_once_get_one_environment(locks: Path) -> None:
    ends = [end(asked) for asked in [begin(locks), begin(locks)]]
    assert len({folder for folder, _ in ends}) == 1
    assert sum(said.count("creating") for _, said in ends) == 1
    assert frameworks.is_complete(ends[0][0])


def test_a_half_made_environment_is_made_anew(locks: Path) -> None:
    folder, _ = end(begin(locks))
    (folder / frameworks.DONE).unlink()
    (folder / "left from before").touch()
    again, said = end(begin(locks))
    assert again == folder
    assert "creating" in said
    assert not (folder / "left from before").exists()


def test_a_changed_lock_makes_another_environment(locks: Path) -> None:
    before = frameworks.folder_of("tiny", locks)
    (locks / "tiny.lock").write_text("# changed\n")
    assert frameworks.folder_of("tiny", locks) != before


def test_unknown_frameworks_are_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert frameworks.main(["jacks"]) == 2
    assert "jax" in capsys.readouterr().err
