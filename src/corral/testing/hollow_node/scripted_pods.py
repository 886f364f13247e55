"""Lets the pods of a hollow node live by a script: binds those that nobody has bound, and has them played and heard."""

from corral.control.backoff import Backoff
from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome
from corral.control.runtime import Runtime
from corral.engine.fake_nodes.addresses import Addresses
from corral.engine.fake_nodes.part import Part
from corral.engine.fake_nodes.player import Player
from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from corral.ports.refusals import ConflictError, NotFoundError
from corral.testing.control_plane.loopback import ADDRESS
from corral.testing.hollow_node.log_book import Container, LogBook
from corral.testing.hollow_node.script import Script

_ADDRESSES = 1 << 16
_BACKOFF = Backoff(0.05, 2.0)


class ScriptedPods:
    """Plays every pod of a scope that is bound to the node, or to none."""

    def __init__(self, runtime: Runtime, node: str, script: Script, book: LogBook, scope: Scope) -> None:
        self.pods = runtime.caches.of(POD, scope)
        self._store = runtime.store
        self._node = node
        self._script = script
        self._book = book
        self._player = Player(runtime.store, runtime.clock, Addresses(_ADDRESSES, ADDRESS), _Aloud(book))
        watches = [Watch(POD, scope=scope)]
        self._controller = Controller("hollow-pods", self._reconcile, watches, runtime, workers=8, backoff=_BACKOFF)
        self._heard: dict[ObjectKey, str] = {}

    async def run(self) -> None:
        """Works until cancelled."""
        await self._controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        pod = self.pods.get(key)
        if self._heard.get(key) != (uid_of(pod) if pod is not None else None):
            self._book.forget(*key)
        if pod is None:
            self._player.forget(key)
            self._heard.pop(key, None)
            return DONE
        self._heard[key] = uid_of(pod)
        node = pod["spec"].get("nodeName", "")
        if node == self._node:
            return await self._player.play(pod, self._script.part_of(pod), 0)
        is_free = not node and not pod["spec"].get("schedulingGates") and not is_deleting(pod)
        if is_free and self._script.binds:
            await self._bind(pod)
        return DONE

    async def _bind(self, pod: Object) -> None:
        namespace, name = key_of(pod)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": namespace, "uid": uid_of(pod)},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self._node},
        }
        try:
            await self._store.create(POD, binding, subresource="binding")
        except (ConflictError, NotFoundError):
            return  # somebody else was faster, or it is gone: the cache will show


class _Aloud:
    """Writes what containers say into the log book."""

    def __init__(self, book: LogBook) -> None:
        self._book = book

    def begin(self, pod: Object, part: Part, kind: str) -> None:
        """Opens the log of each container and says the lines of the part."""
        for container in _containers(pod, kind):
            self._book.begin(container)
            named = {"{pod}": container.pod, "{container}": container.container}
            self._book.say(container, *(_filled(line, named) for line in part.lines))

    def end(self, pod: Object, kind: str) -> None:
        """Closes the logs."""
        for container in _containers(pod, kind):
            self._book.end(container)


def _containers(pod: Object, kind: str) -> list[Container]:
    namespace, name = key_of(pod)
    return [Container(namespace, name, each["name"]) for each in pod["spec"].get(kind) or []]


def _filled(line: str, named: dict[str, str]) -> str:
    for hole, text in named.items():
        line = line.replace(hole, text)
    return line
