"""Command lines that are typed without a process of their own: quick, and with nothing of the user in sight."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from corral.surfaces.cli.main import run

UNSEEN = ("CORRAL_CONTEXT", "CORRAL_NAMESPACE", "CORRAL_DEBUG", "NO_COLOR", "FORCE_COLOR", "ARENA_CONFIG")


class Typed(NamedTuple):
    """What came of a command line."""

    status: int
    out: str
    err: str


Typing = Callable[..., Typed]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typing:
    """Runs words in a folder, a home and a kubeconfig of their own."""
    for name in UNSEEN:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))

    def type_line(*words: str) -> Typed:
        capsys.readouterr()
        status = run(list(words))
        said = capsys.readouterr()
        return Typed(status, said.out, said.err)

    return type_line
