"""Runs command lines one after the other, each on a terminal of its own or into pipes, from one process that has loaded them.

It is started by the tests and asked over stdin, one JSON object a line: `{"words": [...], "columns": 80, "env": {...}}`;
`columns` null means pipes. The answer is `{"status", "out", "err"}`; on a terminal there is no difference between the two.
Every command line runs in a fork, so none sees what another left in memory. Its clock is ahead of the real one by SHIFT
seconds: then ages show the same whenever the test runs.
"""

import fcntl
import importlib
import json
import os
import pkgutil
import pty
import struct
import sys
import termios
import time
from typing import Any

import corral.adapters.kubernetes
import corral.control.desk
import corral.surfaces.cli
from corral.surfaces.cli.main import run

SHIFT = 2 * 86400 + 3 * 3600 + 1800
"""Two days and three and a half hours: seconds more or less do not show in `2d3h`."""


def main() -> None:
    """Answers until there is no more question."""
    for package in (corral.surfaces.cli, corral.control.desk, corral.adapters.kubernetes):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    real = time.time
    time.time = lambda: real() + SHIFT
    for line in sys.stdin:
        answer = _answer(json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    if question["columns"] is None:
        return _piped(question)
    return _on_a_terminal(question)


def _piped(question: dict[str, Any]) -> dict[str, Any]:
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_RDONLY)
        _become(question, nothing, out_end, err_end)
    os.close(out_end)
    os.close(err_end)
    # Errors are short: they fit into the pipe while the answer is read.
    said, told = _read(out), _read(err)
    _, status = os.waitpid(child, 0)
    return {"status": os.waitstatus_to_exitcode(status), "out": said, "err": told}


def _on_a_terminal(question: dict[str, Any]) -> dict[str, Any]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, question["columns"], 0, 0))
    child = os.fork()
    if child == 0:
        # It is not made the terminal of a session: when the leader of one ends, what nobody has read yet is thrown away.
        os.close(master)
        _become(question, slave, slave, slave)
    os.close(slave)
    said = _read(master)
    _, status = os.waitpid(child, 0)
    return {"status": os.waitstatus_to_exitcode(status), "out": said.replace("\r\n", "\n"), "err": ""}


def _become(question: dict[str, Any], *streams: int) -> None:
    """Runs the command line in this process, which then ends."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.environ.update(question["env"])
    status = run(question["words"])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _read(stream: int) -> str:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(stream, 65536)
        except OSError:  # a terminal whose last user has left
            part = b""
        if not part:
            os.close(stream)
            return b"".join(parts).decode()
        parts.append(part)


if __name__ == "__main__":
    main()
