"""What shall run: the children by name and command line, in start order.

Written by whoever starts the supervisor and read by it, at its start and again on SIGHUP.
"""

import json
from typing import NamedTuple

from corral.engine.small_files import note, read_text
from corral.engine.supervisor.home import Home

LISTEN_FD = "{listen-fd}"


class ChildSpec(NamedTuple):
    """One child: its name, and its command line, in which `{listen-fd}` stands for the number of the shared socket."""

    name: str
    argv: tuple[str, ...]

    @property
    def listens(self) -> bool:
        """Tells whether this child is handed the listening socket."""
        return LISTEN_FD in self.argv

    def command(self, listen_fd: int) -> list[str]:
        """Returns the command line with the socket's number filled in."""
        return [str(listen_fd) if word == LISTEN_FD else word for word in self.argv]


Plan = tuple[ChildSpec, ...]


def write_plan(home: Home, plan: Plan) -> None:
    """Leaves the plan where the supervisor reads it."""
    note(home.plan_file, json.dumps([{"name": child.name, "argv": child.argv} for child in plan]))


def read_plan(home: Home) -> Plan:
    """Returns the plan that was left last, an empty one when it is gone."""
    written = json.loads(read_text(home.plan_file) or "[]")
    return tuple(ChildSpec(child["name"], tuple(child["argv"])) for child in written)
