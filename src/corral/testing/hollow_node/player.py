"""Lets the pods of a hollow node live: binds them, walks them through their parts, and lets the deleted ones go.

One task plays one pod, known by its uid. A pod that changes hands, is deleted or disappears loses its task; writing is
never retried beyond what the client does, because the next change of the pod starts the task anew.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from corral.control.mirror import Delta
from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.well_known import POD
from corral.ports.clock import Clock
from corral.ports.object_store import DeleteOptions, ObjectStore, Patch
from corral.ports.refusals import ConflictError, NotFoundError
from corral.testing.hollow_node.log_book import Container, LogBook
from corral.testing.hollow_node.pod_words import Moment, phase_of, status_of
from corral.testing.hollow_node.script import Part, Script, starts_again

_log = logging.getLogger("corral.testing.hollow_node")
_ENDED = ("Succeeded", "Failed")


class Player:
    """Plays every pod that is bound to the node, and binds those that nobody has bound."""

    def __init__(self, store: ObjectStore, clock: Clock, node: str, script: Script, book: LogBook) -> None:
        self._store = store
        self._clock = clock
        self._node = node
        self._script = script
        self._book = book
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._addresses = count(2)

    def changed(self, deltas: Sequence[Delta[Object]]) -> None:
        """Takes note of pods that came, changed or went."""
        for delta in deltas:
            if delta.old is not None and (delta.new is None or uid_of(delta.new) != uid_of(delta.old)):
                self._end(uid_of(delta.old))
                self._book.forget(*delta.key)
            if delta.new is not None:
                self._look(delta.new)

    async def stop(self) -> None:
        """Ends all plays."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _look(self, pod: Object) -> None:
        uid, node = uid_of(pod), pod["spec"].get("nodeName", "")
        if node not in ("", self._node) or (not node and pod["spec"].get("schedulingGates")):
            return
        if is_deleting(pod):
            self._end(uid)
            if node:
                self._begin(f"{uid} goes", self._let_go(pod))
        elif (pod.get("status") or {}).get("phase") not in _ENDED:
            self._begin(uid, self._play(pod))

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        if name in self._tasks:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(_guarded(work), name=f"hollow pod {name}")
        self._tasks[name] = task
        task.add_done_callback(lambda _: self._tasks.pop(name, None))

    def _end(self, uid: str) -> None:
        task = self._tasks.get(uid)
        if task is not None:
            task.cancel()

    async def _let_go(self, pod: Object) -> None:
        """Confirms that nothing of the pod runs any more, as a kubelet does: by a delete without grace."""
        options = DeleteOptions(grace_seconds=0, uid=uid_of(pod))
        await self._store.delete(POD, key_of(pod), options)

    async def _play(self, pod: Object) -> None:
        pod = dict(pod)  # its status will follow what is written; the one that was given belongs to a cache
        part, key = self._script.part_of(pod), key_of(pod)
        if not pod["spec"].get("nodeName"):
            await self._bind(pod)
        number = next(self._addresses)
        moment = Moment(f"10.244.{number >> 8 & 255}.{number & 255}", self._now())
        await self._write(pod, moment)
        await self._clock.sleep(part.pending)
        if pod["spec"].get("initContainers"):
            moment = await self._initialize(pod, part, moment)
            if phase_of(moment) == "Failed":
                return
        moment = moment._replace(main=moment.main.running(self._now()))
        while True:
            moment = await self._run(pod, part, moment)
            if not starts_again(pod["spec"].get("restartPolicy", "Always"), moment.main.exit_code):
                await self._write(pod, moment)
                return
            moment = moment._replace(main=moment.main.again(self._now()))
            _log.debug("container starts again", extra={"pod": str(key), "run": moment.main.number})

    async def _initialize(self, pod: Object, part: Part, moment: Moment) -> Moment:
        moment = moment._replace(init=moment.init.running(self._now()))
        await self._write(pod, moment)
        self._speak(pod, part, "initContainers")
        await self._clock.sleep(part.init_seconds)
        self._hush(pod, "initContainers")
        moment = moment._replace(init=moment.init.ended(part.init_exit_code, part.reason))
        await self._write(pod, moment)
        return moment

    async def _run(self, pod: Object, part: Part, moment: Moment) -> Moment:
        # The log is there before the status says Running, so that whoever sees the one can read the other.
        self._speak(pod, part, "containers")
        await self._write(pod, moment)
        if part.seconds is None:
            await asyncio.Event().wait()
        else:
            await self._clock.sleep(part.seconds)
        self._hush(pod, "containers")
        return moment._replace(main=moment.main.ended(part.exit_code(moment.main.number), part.reason))

    def _speak(self, pod: Object, part: Part, kind: str) -> None:
        for container in _containers(pod, kind):
            self._book.begin(container)
            named = {"{pod}": container.pod, "{container}": container.container}
            self._book.say(container, *(_filled(line, named) for line in part.lines))

    def _hush(self, pod: Object, kind: str) -> None:
        for container in _containers(pod, kind):
            self._book.end(container)

    async def _bind(self, pod: Object) -> None:
        namespace, name = key_of(pod)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": namespace, "uid": uid_of(pod)},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self._node},
        }
        await self._store.create(POD, binding, subresource="binding")

    async def _write(self, pod: Object, moment: Moment) -> None:
        """Writes the status of this very pod: a uid in the patch is a condition."""
        body = {"metadata": {"uid": uid_of(pod)}, "status": status_of(pod, moment, self._now())}
        pod["status"] = (await self._store.patch(POD, key_of(pod), Patch("merge", body), subresource="status"))[
            "status"
        ]

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except (NotFoundError, ConflictError) as error:
        _log.debug("the pod went its own way", extra={"why": str(error)})


def _containers(pod: Object, kind: str) -> list[Container]:
    namespace, name = key_of(pod)
    return [Container(namespace, name, each["name"]) for each in pod["spec"].get(kind) or []]


def _filled(line: str, named: dict[str, str]) -> str:
    for hole, text in named.items():
        line = line.replace(hole, text)
    return line
