"""What runs on this machine and how it is, gathered in one value for `corral status` and the console."""

import os
import time
from typing import Any, NamedTuple

from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import resident_bytes
from corral.engine.supervisor.lifecycle import observe
from corral.engine.supervisor.readiness import failure_of
from corral.engine.supervisor.report import ChildReport, Report

SICK_STATES = ("failed", "crash loop")


class Problem(NamedTuple):
    """What is wrong, in one sentence, and what to do about it."""

    text: str
    hint: str


class ProcessLine(NamedTuple):
    """One process: its state (`running`, `waiting`, `crash loop`, `failed`), age in seconds and memory in bytes."""

    name: str
    state: str
    pid: int
    age: float
    restarts: int
    memory: int
    last_exit: str


class Overview(NamedTuple):
    """The embedded cluster of one home; `api` is the version it reports or why it does not, `objects` None if unknown.

    `problems` are sentences, each with a hint; without one, all that shall run does and the API has answered.
    """

    is_running: bool
    home: str
    address: str
    api: str
    objects: int | None
    state_bytes: int
    processes: tuple[ProcessLine, ...]
    orphans: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]

    @property
    def may_answer(self) -> bool:
        """Tells whether it makes sense to ask the API: its process is not listed as failed."""
        return not any(line.name == "api" and line.state in SICK_STATES for line in self.processes)

    def without_api(self, why: str) -> "Overview":
        """Returns the overview with why the API did not tell."""
        hint = "`corral doctor` looks for the cause; `corral up` restores a lost token and tries again what has ended"
        return self._replace(api=why, problems=(*self.problems, Problem(f"the API: {why}", hint)))

    def with_api(self, api: str, objects: int | None) -> "Overview":
        """Returns the overview with what the API said."""
        return self._replace(api=api, objects=objects)

    def document(self) -> dict[str, Any]:
        """Returns the overview as JSON-ready values."""
        return {
            "running": self.is_running,
            "home": self.home,
            "address": self.address,
            "api": self.api,
            "objects": self.objects,
            "stateBytes": self.state_bytes,
            "processes": [
                {
                    "name": line.name,
                    "state": line.state,
                    "pid": line.pid,
                    "ageSeconds": round(line.age, 1),
                    "restarts": line.restarts,
                    "memoryBytes": line.memory,
                    "lastExit": line.last_exit,
                }
                for line in self.processes
            ],
            "leftBehind": [{"name": name, "pid": pid} for name, pid in self.orphans],
            "problems": [problem._asdict() for problem in self.problems],
        }


def look(home: Home) -> Overview:
    """Gathers what can be seen without asking the API."""
    observation = observe(home)
    report = observation.report
    orphans = tuple((name, process.pid) for name, process in observation.orphans.items())
    address = f"http://127.0.0.1:{report.port}" if report else ""
    lines = process_lines(report, time.time()) if report else ()
    problems = tuple(problem_of(child, home) for child in report.children if child.is_sick) if report else ()
    size = folder_bytes(home.state)
    overview = Overview(report is not None, home.root, address, "", None, size, lines, orphans, problems)
    return overview if overview.may_answer else overview._replace(api="not asked: its process has failed")


def problem_of(child: ChildReport, home: Home) -> Problem:
    """Returns what is wrong with a child that cannot go on."""
    error = failure_of(child, home)
    return Problem(error.message, error.hint)


def process_lines(report: Report, now: float) -> tuple[ProcessLine, ...]:
    """Returns the supervisor and its children, in start order."""
    pid = report.supervisor.pid
    lines = [ProcessLine("supervisor", "running", pid, now - report.since, 0, resident_bytes(pid), "")]
    for child in report.children:
        state = "crash loop" if child.is_crash_loop and child.state == "waiting" else child.state
        memory = resident_bytes(child.process.pid) if child.process.pid else 0
        lines.append(
            ProcessLine(
                child.name, state, child.process.pid, now - child.since, child.restarts, memory, child.last_exit
            )
        )
    return tuple(lines)


def objects_in(metrics: str) -> int:
    """Returns the number of stored objects from the API's metrics."""
    lines = (line for line in metrics.splitlines() if line.startswith("apiserver_storage_objects{"))
    return sum(int(float(line.rpartition(" ")[2])) for line in lines)


def folder_bytes(folder: str) -> int:
    """Returns the size of the files in a folder, 0 when it is absent."""
    if not os.path.isdir(folder):
        return 0
    with os.scandir(folder) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
