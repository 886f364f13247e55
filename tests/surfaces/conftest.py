"""Runs the command line as people do: as a process of its own, with a home of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def corral_home(tmp_path: Path) -> Path:
    return tmp_path / "a home"


@pytest.fixture
def cli(corral_home: Path) -> Iterator[Cli]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("KUBECONFIG", "CORRAL_CONTEXT", "PYTHONDONTWRITEBYTECODE")
    }
    environment["CORRAL_HOME"] = str(corral_home)

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "corral", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    yield run
    if os.path.isdir(corral_home):
        run("down")
