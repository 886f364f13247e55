"""What every golden line is typed into: a cluster that is never asked, no settings, and two files to send along."""

import socket
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that is never asked, no settings, and two files to send along."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a client-side dry run has opened a connection")

    (tmp_path / "settings.ini").write_text("lr = 0.1\n")
    (tmp_path / "hosts.txt").write_text("a\nb\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    (tmp_path / "cluster").write_text(
        '{"current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],'
        ' "contexts": [{"name": "c", "context": {"cluster": "c"}}]}'
    )
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "cluster"))
    monkeypatch.delenv("CORRAL_CONTEXT", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
