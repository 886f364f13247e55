"""What is known on disk about one run of a container: who holds it, and how it ended.

    record.json   the holder (pid and start mark), since when, its control groups, what it runs
    exit          its exit code and a line end, written by the holder; without a line end there is no code yet. Behind it, why
                  it could not start; `refused` beside the code when the machine was in the way, which is tried again
    environment   what the program was started with, separated by NUL, readable by the user only; until it is settled
    execs/        one record for each process that joined it later
    mountpoints   empty folders that were made to mount over, one per line
    oom           a sentence, when it was killed for using more memory than it may
    settled       there when nothing of the run is left on the machine

The record is written before the holder becomes a program, so there is never a process that no record names. A record
that cannot be read (the machine lost power) tells of a run that has ended.
"""

import json
import os
from typing import NamedTuple

from corral.engine.small_files import NoPlainFileError, note, open_plain, read_text
from corral.engine.supervisor.host import ProcessIdentity

MARK = "CORRAL_CONTAINER"
"""The variable that every process of a run carries: pod uid, container and run number."""
KILLED = 137
"""The exit code of whatever ended without a word."""
NEVER_STARTED = 128
"""The exit code of a run that could not become a program."""
REFUSED = "refused"
"""Stands beside the exit code of a run that the machine did not let begin."""
ROOM = " " * 32
"""Stands in the exit file from the start: the space is taken while there is some, and a full disk hides no exit code."""


class Run(NamedTuple):
    """One run of one container, running or ended."""

    folder: str
    holder: ProcessIdentity
    owner: str
    started_at: float
    argv: tuple[str, ...] = ()
    workdir: str = "/"
    groups: tuple[str, ...] = ()
    """Its control groups, as folders; empty where the machine gives none."""
    memory_bytes: int | None = None
    cpus: tuple[int, ...] = ()
    """The processors that it is bound to; none when it is not."""
    ports: tuple[tuple[int, int], ...] = ()
    """The loopback ports that its program was told, each behind the port that the container declares."""
    streak: int = 0
    """How many restarts in a row there were when it began."""

    def is_running(self) -> bool:
        """Tells whether exactly this run still goes on."""
        return self.holder.is_alive()


class Ending(NamedTuple):
    """How a run ended."""

    exit_code: int
    finished_at: float
    message: str = ""
    """Why it could not even start; empty when it did."""
    is_refusal: bool = False
    """Whether the machine was in the way and not the command, so that it is to be started again."""


def record_path(folder: str) -> str:
    """Returns the file that names the holder of a run."""
    return os.path.join(folder, "record.json")


def exit_path(folder: str) -> str:
    """Returns the file that the exit code is written to."""
    return os.path.join(folder, "exit")


def environment_path(folder: str) -> str:
    """Returns the file with the environment that the program was started with."""
    return os.path.join(folder, "environment")


def execs_path(folder: str) -> str:
    """Returns the folder with a record of each process that joined the run."""
    return os.path.join(folder, "execs")


def mount_points_path(folder: str) -> str:
    """Returns the file that lists what was made to mount over."""
    return os.path.join(folder, "mountpoints")


def oom_path(folder: str) -> str:
    """Returns the file that says why a run was killed for memory."""
    return os.path.join(folder, "oom")


def settled_path(folder: str) -> str:
    """Returns the file that tells that nothing of a run is left."""
    return os.path.join(folder, "settled")


def write_record(run: Run) -> None:
    """Writes the record of a run in one step."""
    document = {
        "pid": run.holder.pid,
        "start": run.holder.start,
        "owner": run.owner,
        "startedAt": run.started_at,
        "argv": run.argv,
        "workdir": run.workdir,
        "groups": run.groups,
        "memoryBytes": run.memory_bytes,
        "cpus": run.cpus,
        "ports": run.ports,
        "streak": run.streak,
    }
    note(record_path(run.folder), json.dumps(document) + "\n")


def adopt(folder: str) -> Run | None:
    """Returns the run that is recorded in a folder, None when nothing was ever started there.

    Whether it still runs, and how it ended, is told by `ending_of`.
    """
    path = record_path(folder)
    text = read_text(path)
    try:
        fields = json.loads(text)
        return Run(
            folder=folder,
            holder=ProcessIdentity(int(fields["pid"]), str(fields["start"])),
            owner=str(fields["owner"]),
            started_at=float(fields["startedAt"]),
            argv=tuple(fields["argv"]),
            workdir=str(fields["workdir"]),
            groups=tuple(fields["groups"]),
            memory_bytes=fields["memoryBytes"],
            cpus=tuple(fields.get("cpus") or ()),
            ports=tuple((int(declared), int(told)) for declared, told in fields.get("ports") or ()),
            streak=int(fields.get("streak") or 0),
        )
    except (ValueError, LookupError, TypeError):
        if not os.path.exists(path):
            return None
        return Run(folder, ProcessIdentity(0, ""), "", os.stat(path).st_mtime)


def read_ending(folder: str) -> Ending | None:
    """Returns what the exit file says, None when it says nothing."""
    path = exit_path(folder)
    line, ended, message = read_text(path).partition("\n")
    code, _, word = line.strip().partition(" ")
    if not ended or not code.isdigit():
        return None
    return Ending(int(code), os.stat(path).st_mtime, message.strip(), word == REFUSED)


def write_ending(folder: str, code: int) -> None:
    """Writes how a run ended, for one whose holder could not; into the room that is kept, where it is."""
    try:
        handle = open_plain(exit_path(folder), os.O_WRONLY)
    except (FileNotFoundError, NoPlainFileError):
        note(exit_path(folder), f"{code}\n")
        return
    try:
        os.pwrite(handle, f"{code}\n".encode(), 0)
    finally:
        os.close(handle)


def read_environment(folder: str) -> dict[bytes, bytes]:
    """Returns the environment that the program of a run was started with."""
    with open(open_plain(environment_path(folder)), "rb") as file:
        pairs = (entry.partition(b"=") for entry in file.read().split(b"\0") if entry)
        return {name: value for name, _, value in pairs}


def write_environment(folder: str, env: dict[bytes, bytes]) -> None:
    """Keeps the environment of a program, readable by the user only."""
    path = environment_path(folder)
    handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(handle, "wb") as file:
        file.write(b"".join(name + b"=" + value + b"\0" for name, value in env.items()))
