"""A household of one pod with one real container, and clients of its doors."""

import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import aiohttp
import msgspec

from corral.adapters.kubelet_api.doors import Command, Streams
from corral.engine.node.containers import joining
from corral.engine.node.containers.joined_command import JoinedCommand
from corral.engine.node.containers.launch import Launch
from corral.engine.node.containers.starting import start
from corral.engine.node.endpoint.figures import PodUsage, Usage
from corral.engine.node.endpoint.measuring import machine_usage, usage_by_owner
from corral.engine.node.folder import NodeFolder
from corral.engine.node.logs.run_log import RunLog
from corral.engine.supervisor.host import resident_bytes
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey

TOKEN = "a-token-for-tests"
UID = "3f1c0a52-0000-4000-8000-000000000001"


async def stays_small(most_bytes: int, seconds: float = 0.5) -> None:
    """Returns when this process has not grown by more than so many bytes for a while."""
    before, until = resident_bytes(os.getpid()), time.monotonic() + seconds
    while time.monotonic() < until:
        assert resident_bytes(os.getpid()) - before < most_bytes
        await asyncio.sleep(0.005)


class OneContainer:
    """The pod `talker`; its container `main` runs until it is told to end."""

    node = "node-under-test"

    def __init__(self, folder: Path, namespace: str = "team") -> None:
        self.folder = NodeFolder(str(folder))
        self.namespace = namespace
        logs = os.path.join(self.folder.pod_logs(namespace, "talker", UID), "main")
        os.makedirs(logs)
        self.log_of_run = RunLog(logs, 0)
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        script = 'trap "exit 0" TERM; echo begun; while :; do sleep 0.05; done'
        launch = Launch(
            folder=self.folder.run(UID, "main", 0),
            argv=("/bin/sh", "-c", script),
            env=env,
            workdir="/",
            log=self.log_of_run.path,
            owner=f"{UID}/main/0",
        )
        self.run = start(launch)
        self.is_over = False
        self._hear_the_first_word()

    def _hear_the_first_word(self, within: float = 20.0) -> None:
        """Returns when the container has begun to speak: what readers find does not depend on how quickly it did."""
        until = time.monotonic() + within
        while not os.path.getsize(self.log_of_run.path):
            assert time.monotonic() < until, "the container says nothing"
            time.sleep(0.005)

    def say(self, data: bytes) -> None:
        """Appends to the log as the container does."""
        with open(self.log_of_run.path, "ab", buffering=0) as file:
            file.write(data)

    def ailment(self) -> str:
        return ""

    def pods(self) -> Iterable[Object]:
        identity = f"corral://{UID}/main/0"
        status = {"name": "main", "containerID": identity, "state": {"running": {}}}
        waiting = {"name": "late", "state": {"waiting": {"reason": "PodInitializing"}}}
        return [
            {
                "metadata": {"namespace": self.namespace, "name": "talker", "uid": UID},
                "spec": {"containers": [{"name": "main"}, {"name": "late"}]},
                "status": {"phase": "Running", "containerStatuses": [status, waiting]},
            }
        ]

    def find(self, key: ObjectKey) -> Object | None:
        return next((pod for pod in self.pods() if key == (self.namespace, "talker")), None)

    def log(self, pod: Object, container: str, run: int) -> RunLog:
        return self.log_of_run._replace(run=run)

    def is_running(self, pod: Object, container: str, run: int) -> bool:
        return not self.is_over

    async def join(self, pod: Object, container: str, argv: Sequence[str], streams: Streams) -> Command:
        given = joining.Streams(streams.stdin, streams.stdout, streams.stderr, streams.is_terminal)
        return JoinedCommand(joining.join(self.run.folder, argv, given))

    async def usage(self) -> tuple[Usage, list[PodUsage]]:
        used = usage_by_owner()
        return machine_usage(), [PodUsage(pod, {"main": used[self.run.owner]}) for pod in self.pods()]


class Client:
    """Asks the doors, with the token unless told otherwise."""

    def __init__(self, port: int, session: aiohttp.ClientSession, token: str = TOKEN) -> None:
        self._root = f"https://127.0.0.1:{port}"
        self._session = session
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._answers: list[aiohttp.ClientResponse] = []
        self._sockets: list[aiohttp.ClientWebSocketResponse] = []

    async def get(self, path: str) -> tuple[int, bytes]:
        """Returns status and body."""
        async with self._session.get(self._root + path, headers=self._headers, ssl=False) as answer:
            return answer.status, await answer.read()

    async def stream(self, path: str) -> aiohttp.ClientResponse:
        """Returns an answer whose body is read later."""
        answer = await self._session.get(self._root + path, headers=self._headers, ssl=False)
        self._answers.append(answer)
        return answer

    async def command(self, query: str, protocol: str = "v5.channel.k8s.io") -> "Conversation":
        """Starts a command."""
        return await self._conversation(f"/exec/team/talker/main?{query}", protocol)

    async def attached(self) -> "Conversation":
        """Begins to listen to the container."""
        return await self._conversation("/attach/team/talker/main?output=1", "v5.channel.k8s.io")

    async def _conversation(self, path: str, protocol: str) -> "Conversation":
        socket = await self._session.ws_connect(
            self._root + path, headers=self._headers, ssl=False, protocols=(protocol,)
        )
        self._sockets.append(socket)
        return Conversation(socket)

    async def close(self) -> None:
        """Lets go of everything that is still open."""
        for answer in self._answers:
            answer.close()
        for socket in self._sockets:
            await socket.close()


class Conversation:
    """One WebSocket and what came over it, by channel."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.said: dict[int, bytes] = {}

    async def send(self, channel: int, data: bytes) -> None:
        """Sends a message on a channel."""
        await self.socket.send_bytes(bytes([channel]) + data)

    async def close_input(self) -> None:
        """Ends what is typed."""
        await self.send(255, b"\0")

    async def hear(self) -> int:
        """Takes one message; returns its channel, -1 at the end."""
        message = await self.socket.receive(timeout=20)
        if message.type is not aiohttp.WSMsgType.BINARY:
            return -1
        channel = message.data[0]
        self.said[channel] = self.said.get(channel, b"") + message.data[1:]
        return int(channel)

    async def until(self, channel: int, text: bytes) -> None:
        """Returns when something was said on a channel."""
        while text not in self.said.get(channel, b""):
            assert await self.hear() >= 0, self.said

    async def end(self) -> int:
        """Returns the exit code."""
        while await self.hear() >= 0:
            pass
        status = msgspec.json.decode(self.said[3])
        if status["status"] == "Success":
            return 0
        assert status["reason"] == "NonZeroExitCode", status
        return int(status["details"]["causes"][0]["message"])
