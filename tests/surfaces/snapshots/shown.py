"""What a command line shows, as one text to keep: into a pipe, and on terminals of two widths, with and without colour."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.surfaces.conftest import private_environment

DRIVER = Path(__file__).parent / "driver.py"


class Way(NamedTuple):
    """One way to look at an answer."""

    name: str
    columns: int | None
    env: Mapping[str, str] = {}


class Look(NamedTuple):
    """What a command line has shown in one way."""

    way: Way
    answer: dict[str, Any]


WAYS = (
    Way("into a pipe", None),
    Way("on a terminal of 80 columns", 80),
    Way("on a terminal of 160 columns", 160),
    Way("on a terminal of 80 columns, without colour", 80, {"NO_COLOR": "1"}),
)

REMARKS = ("note: ", "error: ", "hint: ", "  corral ")
_ALIKE = (
    (re.compile("/root\\b"), "/DEFAULT-DIR"),  # where Arena's containers start
    (re.compile(r"dial tcp: [^)]*"), "dial tcp: NOT THERE"),
    (re.compile(r"(?m)(?<=\d  )( *)\d+s$"), r"\1AGE"),  # the table is the server's own, and its clock is not ahead
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "YYYY-MM-DD hh:mm:ss"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "YYYY-MM-DDThh:mm:ssZ"),
)


def too_long(looks: Sequence[Look]) -> list[str]:
    """Returns the lines that were longer than their terminal was wide, without remarks and commands to copy."""
    seen = [(re.sub("\x1b\\[[0-9;]*m", "", answer["out"]), way.columns) for way, answer in looks]
    lines = [(line, width) for text, width in seen if width is not None for line in text.splitlines()]
    return [line for line, width in lines if len(line) > width and not line.startswith(REMARKS)]


class Driver:
    """The process that runs command lines."""

    def __init__(self, home: Path) -> None:
        self._home = home
        environment = {**private_environment(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC"}
        environment.pop("COLUMNS", None)
        self._process = subprocess.Popen(
            [sys.executable, str(DRIVER)],
            env=environment,
            cwd=home.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def looked_at(self, line: str) -> list[Look]:
        """Runs a command line in every way."""
        return [Look(way, self.ask(line, way)) for way in WAYS]

    def shown(self, line: str, looks: Sequence[Look]) -> str:
        """Returns a command line and everything that it shows, each way that differs from those before it."""
        parts, seen = [f"$ {line}"], dict[str, str]()
        for way, answer in looks:
            text = "\n".join(part for part in self._told(answer) if part)
            if text in seen:
                parts.append(f"=== {way.name}: as {seen[text]}")
            else:
                seen[text] = way.name
                parts.append(f"=== {way.name}\n{text}")
        return "\n\n".join(parts) + "\n"

    def ask(self, line: str, way: Way) -> dict[str, Any]:
        """Runs a command line and returns how it ended and what it said."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = {"words": shlex.split(line)[1:], "columns": way.columns, "env": dict(way.env)}
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _told(self, answer: dict[str, Any]) -> list[str]:
        return [
            self._alike(answer["out"]),
            f"--- stderr\n{self._alike(answer['err'])}" if answer["err"] else "",
            f"--- exit status {answer['status']}" if answer["status"] else "",
        ]

    def _alike(self, text: str) -> str:
        """Returns a text with what differs from run to run replaced, each by a word as long as it where that matters."""
        text = text.replace(str(self._home), "HOME").replace(str(self._home.parent), "/FOLDER")
        text = text.replace("\x1b", "␛").rstrip("\n")
        for pattern, word in _ALIKE:
            text = pattern.sub(word, text)
        return text
