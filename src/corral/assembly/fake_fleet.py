"""The fake nodes of this machine: the last choice stays in the home until another one is made.

So no start that asks for nothing takes nodes away, and with them what runs there.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from corral.engine.small_files import read_text, write_private
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.lifecycle import observe
from corral.errors import CorralError, PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.engine.fake_nodes.fleet import FakeNode

NO_NODES = ("none", "0")
"""The words that take all fake nodes away."""
REGISTERED_SECONDS = 60.0
"""How long a start waits for its fake nodes."""
_NAMED = 5


class FleetChoice:
    """Which fake nodes one start is for: those it asks for, else those of the start before."""

    def __init__(self, home: Home, asked: Sequence[str], *, api_only: bool) -> None:
        self._home = home
        self._asked = _understood(asked, api_only=api_only)
        self._api_only = api_only
        self._fleet: tuple[FakeNode, ...] = ()
        self.notes: tuple[str, ...] = ()

    def settle(self) -> tuple[str, ...]:
        """Returns the words for the processes, and keeps them; the caller holds the start lock of the home."""
        before = self._kept()
        words = before if self._asked is None else self._asked
        if self._api_only and words:
            self.notes = (f"the fake nodes {' '.join(words)} rest: --api-only",)
            return ()
        self._fleet = _fleet_of(words)
        if words != before:
            self.notes = self._departures(_fleet_of(before))
            write_private(self._home.fake_nodes_file, "".join(f"{word}\n" for word in words))
        elif words and self._asked is None:
            told = f"the fake nodes of the last start are kept: {' '.join(words)}"
            self.notes = (f"{told}; `corral up --fake-nodes none` takes them away",)
        return words

    def _kept(self) -> tuple[str, ...]:
        """Returns the last choice; one that nobody can read any more counts as none, and is replaced by the next."""
        words = tuple(read_text(self._home.fake_nodes_file).split())
        try:
            _fleet_of(words)
        except PermanentError:
            return ()
        return words

    def await_nodes(self, port: int, on_wait: Callable[[str], None] | None) -> tuple[str, ...]:
        """Returns when all nodes are there; a note when they are not in time."""
        if not self._fleet:
            return ()
        from corral.control.desk.patience.remarks import Patience

        names = {node.name for node in self._fleet}
        patience = Patience(on_wait or _silently)
        deadline, pause = time.monotonic() + REGISTERED_SECONDS, 0.05
        while missing := len(names - _registered(self._home, port)):
            told = f"{len(names) - missing} of {len(names)} fake nodes are there"
            if time.monotonic() >= deadline:
                return (f"{told}; the others come later: `corral status` shows how their process is",)
            patience.remark(f"{told} (at most {REGISTERED_SECONDS:g} s)")
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)
        return ()

    def _departures(self, before: "Sequence[FakeNode]") -> tuple[str, ...]:
        """Returns which nodes go, and what ends with them."""
        staying = {node.name for node in self._fleet}
        going = [node.name for node in before if node.name not in staying]
        if not going:
            return ()
        number = "1 fake node goes" if len(going) == 1 else f"{len(going)} fake nodes go"
        report = observe(self._home).report
        pods = _running_on(self._home, report.port, set(going)) if report is not None else None
        if pods is None:
            fate = "pods that ran there fail with the reason NodeLost"
        elif not pods:
            fate = "no pod runs there"
        else:
            fate = f"what runs there fails with the reason NodeLost: {_listed(pods)}"
        return (f"{number} ({_listed(going)}); {fate}",)


def _fleet_of(words: Sequence[str]) -> "tuple[FakeNode, ...]":
    if not words:
        return ()
    from corral.engine.fake_nodes.fleet import fleet_of  # only who has fake nodes pays for it

    return fleet_of(words)


def _understood(asked: Sequence[str], *, api_only: bool) -> tuple[str, ...] | None:
    """Returns the words that are asked for, none of them for `none`, and None when nothing is asked."""
    if not asked:
        return None
    words = tuple(word.strip() for word in asked)
    if words in {(word,) for word in NO_NODES}:
        return ()
    if any(word in NO_NODES for word in words):
        message = f"--fake-nodes {' '.join(words)}: no nodes and some nodes at once"
        raise PermanentError("bad-fake-nodes", message, hint="`none` stands alone")
    _fleet_of(words)
    if api_only:
        message = "--fake-nodes does not go with --api-only: nothing would bind pods to them"
        raise PermanentError("bad-fake-nodes", message, hint="leave one of the two out")
    return words


def _registered(home: Home, port: int) -> set[str]:
    """Returns the names of the fake nodes that the API knows, none while it does not answer."""
    from corral.kinds.nodes import FAKE_NODE
    from corral.kinds.well_known import NODE
    from corral.ports.object_store import Scope

    try:
        with _client(home, port) as client:
            found = client.list(NODE, Scope(labels=f"{FAKE_NODE}=true", metadata_only=True))
    except CorralError:
        return set()
    return {node["metadata"]["name"] for node in found}


def _running_on(home: Home, port: int, nodes: set[str]) -> list[str] | None:
    """Returns the pods that run on some nodes, None when the API does not tell."""
    from corral.kinds.pod_view import PodView
    from corral.kinds.well_known import POD
    from corral.ports.object_store import EVERYTHING

    found: list[str] = []
    try:
        with _client(home, port) as client:
            for page in client.pages(POD, EVERYTHING, PodView):
                running = [pod for pod in page.items if pod.node in nodes and not pod.is_finished]
                found += [f"{pod.metadata.namespace}/{pod.name}" for pod in running]
    except CorralError:
        return None
    return found


def _client(home: Home, port: int) -> "SyncClient":
    from corral.adapters.kubernetes.access import Access, Timeouts
    from corral.adapters.kubernetes.retrying import NEVER
    from corral.adapters.kubernetes.sync_client import SyncClient

    access = Access(f"http://127.0.0.1:{port}", token=home.token())
    return SyncClient(access, policy=NEVER, timeouts=Timeouts(connect=2.0, answer=5.0))


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _silently(text: str) -> None:
    """Tells nobody."""
