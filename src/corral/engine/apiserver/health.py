"""Health: /livez says whether a restart would help, /readyz whether writes are taken as well; /healthz is the old /livez.

Anybody may ask, so the answers name what is wrong and nothing else. `?verbose` lists every check, `?exclude=` leaves
one out, as on a real server.
"""

from collections.abc import Callable, Iterable

from corral.engine.apiserver.http.response import Response, text
from corral.engine.apiserver.upkeep import Upkeep
from corral.engine.apiserver.world import World

STUCK_SECONDS = 30.0
"""A commit takes milliseconds; one that takes this long will not come back."""
REFUSED_SECONDS = 10.0
"""For how long one refused write counts: room may have returned, and only the next write can tell."""

Check = Callable[[], str]
"""Returns what is wrong, "" when nothing is."""


class Health:
    """The checks of one server."""

    def __init__(self, world: World, upkeep: Upkeep) -> None:
        self._store = world.store
        live: dict[str, Check] = {"ping": lambda: "", "storage-commits": self._commits, "upkeep": upkeep.problem}
        self._checks = {"/healthz": live, "/livez": live, "/readyz": {**live, "storage": self._writes}}

    def answer(self, path: str, query: dict[str, str]) -> Response:
        """Answers one question; the list comes when it was asked for, and always when something is wrong."""
        excluded = query.get("exclude", "")
        found = {name: check() for name, check in self._checks[path].items() if name != excluded}
        failed = any(found.values())
        if not failed and "verbose" not in query:
            return text(200, "ok")
        lines = [*_lines(found.items()), f"{path[1:]} check {'failed' if failed else 'passed'}"]
        return text(500 if failed else 200, "\n".join(lines) + "\n")

    def _commits(self) -> str:
        seconds = self._store.waiting_seconds
        return f"a write has been waiting for the disk for {seconds:.0f} seconds" if seconds > STUCK_SECONDS else ""

    def _writes(self) -> str:
        seconds = self._store.refused_seconds
        return "the disk is full, writes are refused" if seconds is not None and seconds < REFUSED_SECONDS else ""


def _lines(found: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, problem in found:
        yield f"[-]{name} failed: {problem}" if problem else f"[+]{name} ok"
