"""What every golden line is typed into: no cluster, no settings, two files to send along, and nobody to talk to."""

import socket
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster, no settings, two files to send along, and nobody to talk to."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a client-side dry run has opened a connection")

    (tmp_path / "settings.ini").write_text("lr = 0.1\n")
    (tmp_path / "hosts.txt").write_text("a\nb\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("CORRAL_CONTEXT", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
