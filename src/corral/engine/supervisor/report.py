"""What the supervisor says about itself and its children: one small JSON file, replaced on every change.

`corral status` reads it; nobody needs to ask a running process. Liveness is never taken from it: that is the lock's
word for the supervisor and the pid with its start mark for a child.
"""

import json
from typing import NamedTuple

from corral.engine.small_files import note, read_text
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import ProcessIdentity


class ChildReport(NamedTuple):
    """One child: where it stands (`running`, `waiting`, `failed`, `stopping`), since when, and how it ended last.

    `log_start` is the size that its log had at its last start: what stands behind that is of this run.
    """

    name: str
    process: ProcessIdentity
    state: str
    since: float
    restarts: int
    is_crash_loop: bool
    last_exit: str
    log_start: int = 0

    @property
    def is_sick(self) -> bool:
        """Tells whether it ends again and again, or has ended for good."""
        return self.state == "failed" or self.is_crash_loop


class Report(NamedTuple):
    """The supervisor, its port, its children in start order, and how many plans it was handed and has carried out."""

    supervisor: ProcessIdentity
    port: int
    since: float
    children: tuple[ChildReport, ...]
    plans_followed: int = 0


def write_report(home: Home, report: Report) -> None:
    """Replaces the report."""
    children = [{**child._asdict(), "process": list(child.process)} for child in report.children]
    document = {
        "supervisor": list(report.supervisor),
        "port": report.port,
        "since": report.since,
        "children": children,
        "plans_followed": report.plans_followed,
    }
    note(home.report_file, json.dumps(document))


def read_report(home: Home) -> Report | None:
    """Returns the last report, None when there was none."""
    text = read_text(home.report_file)
    if not text:
        return None
    document = json.loads(text)
    children = tuple(
        ChildReport(**{**child, "process": ProcessIdentity(*child["process"])}) for child in document["children"]
    )
    supervisor = ProcessIdentity(*document["supervisor"])
    return Report(supervisor, document["port"], document["since"], children, document.get("plans_followed", 0))
