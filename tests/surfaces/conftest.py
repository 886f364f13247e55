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


def private_environment(home: Path) -> dict[str, str]:
    """Returns the environment of a command that sees no cluster of the user."""
    left_out = ("KUBECONFIG", "CORRAL_CONTEXT", "PYTHONDONTWRITEBYTECODE", "NO_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "CORRAL_HOME": str(home), "KUBECONFIG": str(home.parent / "no kubeconfig")}


def cli_of(home: Path) -> Cli:
    """Returns a function that runs one command line with a home of its own."""
    environment = private_environment(home)

    def run(*words: str, text: str | None = None, **more: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "corral", *words]
        return subprocess.run(
            command, env={**environment, **more}, input=text, capture_output=True, text=True, timeout=60
        )

    return run


@pytest.fixture
def cli(corral_home: Path) -> Iterator[Cli]:
    run = cli_of(corral_home)
    yield run
    if os.path.isdir(corral_home):
        run("down")
