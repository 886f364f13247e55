"""What the tests ask of a machine: submit a line, wait, and read what came of it."""

import json
from pathlib import Path
from typing import Any

from tests.surfaces.conftest import Cli


class Machine:
    """An embedded cluster with a process node, and the command line that talks to it."""

    def __init__(self, cli: Cli, home: Path) -> None:
        self.cli = cli
        self.home = home

    def submit(self, *words: str) -> None:
        """Submits a job, which must be taken."""
        done = self.cli("submit", *words)
        assert done.returncode == 0, done.stderr

    def succeeded(self, name: str) -> None:
        """Waits until a job has succeeded."""
        done = self.cli("wait", name, "--timeout", "60s")
        assert done.returncode == 0, done.stderr + self.cli("get", name).stdout + self.cli("logs", name).stdout

    def said(self, name: str) -> list[str]:
        """Returns what all pods of a job have printed, line by line."""
        return self.cli("logs", name).stdout.splitlines()

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """Returns all objects of a kind."""
        items: list[dict[str, Any]] = json.loads(self.cli("get", kind, "-o", "json").stdout)["items"]
        return items

    def object(self, kind: str, name: str) -> dict[str, Any]:
        """Returns one object."""
        found: dict[str, Any] = json.loads(self.cli("get", kind, name, "-o", "json").stdout)
        return found
