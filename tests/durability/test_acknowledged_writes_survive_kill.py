"""kill -9 at random moments while clients write and watch: nothing acknowledged is lost, nothing is seen twice."""

import http.client
import json
import os
import random
import threading
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from tests.api_process import TOKEN, ApiProcess, ask

ROUNDS = 200 if os.environ.get("CORRAL_TEST_FULL") else 30
WRITERS = 4
KEYS = 5
KINDS = {"create": "ADDED", "replace": "MODIFIED", "patch": "MODIFIED", "delete": "DELETED"}
PATH = "/api/v1/namespaces/default/configmaps"


class Attempt(NamedTuple):
    """One write as its client knows it; `rev` is 0 for deletes and for writes whose answer never came."""

    verb: str
    sequence: int
    acknowledged: bool
    happened: bool
    rev: int = 0


class Event(NamedTuple):
    rev: int
    kind: str
    name: str
    sequence: int


class Writer(threading.Thread):
    """Writes its own keys one after the other, and after each lost answer reads what became of it."""

    def __init__(self, api: ApiProcess, number: int, stop: threading.Event) -> None:
        super().__init__(name=f"writer-{number}")
        self.api = api
        self.number = number
        self.ending = stop
        self.dice = random.Random(number)
        self.attempts: dict[str, list[Attempt]] = {f"w{number}-{k}": [] for k in range(KEYS)}
        self.known: dict[str, int | None] = dict.fromkeys(self.attempts)
        self.sequence = 0
        self.highest = 0
        self.problem: BaseException | None = None
        self.connection = api.connect()

    def run(self) -> None:
        try:
            while not self.ending.is_set():
                self._one(self.dice.choice(list(self.attempts)))
        except BaseException as error:
            self.problem = error
        finally:
            self.connection.close()

    @property
    def acknowledged(self) -> int:
        return sum(a.acknowledged for attempts in self.attempts.values() for a in attempts)

    def _one(self, name: str) -> None:
        self.sequence += 1
        verb = "create" if self.known[name] is None else self.dice.choice(["replace", "patch", "patch", "delete"])
        try:
            rev = self._send(verb, name)
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.attempts[name].append(Attempt(verb, self.sequence, False, self._happened(verb, name)))
            return
        assert rev == 0 or rev > self.highest, f"revision {rev} after {self.highest}"
        self.highest = max(rev, self.highest)
        self.attempts[name].append(Attempt(verb, self.sequence, True, True, rev))
        self.known[name] = None if verb == "delete" else self.sequence

    def _send(self, verb: str, name: str) -> int:
        obj = made(name, self.sequence, self.dice)
        if verb == "create":
            answer = ask(self.connection, "POST", PATH, obj)
        elif verb == "replace":
            answer = ask(self.connection, "PUT", f"{PATH}/{name}", obj)
        elif verb == "patch":
            headers = {"Content-Type": "application/merge-patch+json"}
            answer = ask(self.connection, "PATCH", f"{PATH}/{name}", {"data": obj["data"]}, headers)
        else:
            answer = ask(self.connection, "DELETE", f"{PATH}/{name}")
        assert answer.status in (200, 201), f"{verb} {name}: {answer}"
        return 0 if verb == "delete" else int(answer.json["metadata"]["resourceVersion"])

    def _happened(self, verb: str, name: str) -> bool:
        """Reads what became of a write without an answer: it happened as a whole or not at all."""
        while True:
            try:
                answer = ask(self.connection, "GET", f"{PATH}/{name}")
                break
            except (http.client.HTTPException, OSError):
                self.connection.close()
        found = None if answer.status == 404 else sequence_of(answer.json)
        before, after = self.known[name], None if verb == "delete" else self.sequence
        assert found in (before, after), f"{name}: found {found}, expected {before} or {after}"
        self.known[name] = found
        return found == after


class WatchLog(threading.Thread):
    """Watches from a revision on, resuming from the last one seen whenever the stream ends."""

    def __init__(self, api: ApiProcess, since: int) -> None:
        super().__init__(name="watch")
        self.api = api
        self.last = since
        self.until: int | None = None
        self.events: list[Event] = []
        self.streams = 0
        self.problem: BaseException | None = None

    def run(self) -> None:
        try:
            while self.until is None or self.last < self.until:
                try:
                    self._stream()
                except (http.client.HTTPException, OSError, json.JSONDecodeError):
                    continue
        except BaseException as error:
            self.problem = error

    def _stream(self) -> None:
        connection = self.api.connect(timeout=5)
        try:
            path = f"{PATH}?watch=true&allowWatchBookmarks=true&resourceVersion={self.last}&timeoutSeconds=2"
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            with connection.getresponse() as response:
                assert response.status == 200, response.read()
                self.streams += 1
                while (line := response.readline()).endswith(b"\n"):
                    self._take(json.loads(line))
        finally:
            connection.close()

    def _take(self, event: dict[str, Any]) -> None:
        rev = int(event["object"]["metadata"]["resourceVersion"])
        if event["type"] == "BOOKMARK":
            assert rev >= self.last
        else:
            assert rev > self.last, f"{rev} after {self.last}"
            name = event["object"]["metadata"]["name"]
            self.events.append(Event(rev, event["type"], name, sequence_of(event["object"])))
        self.last = rev


def made(name: str, sequence: int, dice: random.Random) -> dict[str, Any]:
    filler = "x" * dice.choice([10, 300, 9000])
    text = f"{sequence} {filler}"
    data = {"text": text, "sum": str(zlib.crc32(text.encode()))}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, "data": data}


def sequence_of(obj: dict[str, Any]) -> int:
    """Returns the number of the write that made an object; fails when the object is torn."""
    data = obj["data"]
    assert str(zlib.crc32(data["text"].encode())) == data["sum"], f"torn: {obj['metadata']['name']}"
    return int(data["text"].split()[0])


def test_every_acknowledged_write_survives_and_every_change_is_seen_once(tmp_path: Path) -> None:
    """Invariants S1, S2, W1, W2 and W4."""
    dice = random.Random(7)
    with ApiProcess(tmp_path) as api:
        first = int(api.ask("GET", PATH).json["metadata"]["resourceVersion"])
        stop = threading.Event()
        writers = [Writer(api, n, stop) for n in range(WRITERS)]
        watches = [WatchLog(api, first) for _ in range(2)]
        for thread in (*writers, *watches):
            thread.start()
        for _ in range(ROUNDS):
            _wait_for_progress(writers, dice.randint(1, 40))
            assert api.end(9) == -9
            api.start()
        stop.set()
        for writer in writers:
            writer.join(30)
        state = api.ask("GET", PATH).json
        for watch in watches:
            watch.until = _last_change(api, first)
            watch.join(30)
    assert not [w.problem for w in writers if w.problem]
    assert not [w.problem for w in watches if w.problem]
    _check_state(writers, {o["metadata"]["name"]: sequence_of(o) for o in state["items"]})
    assert watches[0].events == watches[1].events
    _check_events(writers, watches[0].events)
    assert "Traceback" not in api.log_text()
    acknowledged = sum(w.acknowledged for w in writers)
    unsure = sum(not a.acknowledged for w in writers for attempts in w.attempts.values() for a in attempts)
    print(f"{ROUNDS} kills, {acknowledged} writes acknowledged, 0 lost, {unsure} without an answer, ", end="")
    print(f"{len(watches[0].events)} events seen once over {watches[0].streams} streams")


def _wait_for_progress(writers: list[Writer], writes: int) -> None:
    """Waits until that many more writes were acknowledged; the kill then falls into the midst of others."""
    goal = sum(w.acknowledged for w in writers) + writes
    deadline = time.monotonic() + 30
    while sum(w.acknowledged for w in writers) < goal:
        assert time.monotonic() < deadline, "the writers make no progress"
        assert not any(w.problem for w in writers), [w.problem for w in writers]
        time.sleep(0.001)


def _last_change(api: ApiProcess, since: int) -> int:
    """Returns the revision of the newest change of a config map: all of them are watched once more, quickly."""
    last = since
    lines = api.ask("GET", f"{PATH}?watch=true&resourceVersion={since}&timeoutSeconds=-1").body.splitlines()
    for line in lines:
        last = int(json.loads(line)["object"]["metadata"]["resourceVersion"])
    return last


def _check_state(writers: list[Writer], found: dict[str, int]) -> None:
    for writer in writers:
        for name, sequence in writer.known.items():
            assert found.get(name) == sequence, f"{name}: found {found.get(name)}, acknowledged {sequence}"


def _check_events(writers: list[Writer], events: list[Event]) -> None:
    """The events of every key are the writes that happened, in order, no more and no less."""
    for writer in writers:
        for name, attempts in writer.attempts.items():
            seen = [e for e in events if e.name == name]
            happened = [a for a in attempts if a.happened]
            assert [e.kind for e in seen] == [KINDS[a.verb] for a in happened], name
            last = 0
            for event, attempt in zip(seen, happened, strict=True):
                assert event.sequence == (last if attempt.verb == "delete" else attempt.sequence)
                assert attempt.rev in (0, event.rev)
                last = event.sequence
