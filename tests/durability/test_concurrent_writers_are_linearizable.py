"""Compare-and-swap over HTTP: whatever clients saw could have happened one request at a time, in an order that fits.

Each key is a register whose version is its resourceVersion. Every request is recorded with the moments of its sending
and of its answer; the checker looks for an order of all of them that respects these intervals (Wing and Gong, 1993).
"""

import random
import threading
import time
from pathlib import Path
from typing import NamedTuple

from tests.api_process import ApiProcess, ask

PATH = "/api/v1/namespaces/default/configmaps"
CLIENTS, REQUESTS, KEYS = 6, 60, 3


class Operation(NamedTuple):
    """One request to a register: a read that saw `after`, or a swap from `before` to `after` that succeeded or not."""

    began: float
    ended: float
    kind: str
    before: str
    after: str
    done: bool


def is_linearizable(history: list[Operation], initial: str) -> bool:
    """Searches for an order of the operations that a single register could have gone through."""
    return _search(tuple(sorted(history)), initial, set())


def _search(left: tuple[Operation, ...], state: str, dead: set[tuple[tuple[Operation, ...], str]]) -> bool:
    stack = [(left, state)]
    while stack:
        left, state = stack.pop()
        if not left:
            return True
        if (left, state) in dead:
            continue
        dead.add((left, state))
        first_end = min(o.ended for o in left)
        for position, operation in enumerate(left):
            if operation.began > first_end:
                break  # it began after another one ended: that one comes first
            after = _applied(operation, state)
            if after is not None:
                stack.append((left[:position] + left[position + 1 :], after))
    return False


def _applied(operation: Operation, state: str) -> str | None:
    """Returns the register after an operation, or None when the operation cannot have happened here."""
    if operation.kind == "read":
        return state if state == operation.after else None
    if operation.done:
        return operation.after if state == operation.before else None
    return state if state != operation.before else None


class Client(threading.Thread):
    """Reads and swaps registers at random, from what it last saw there."""

    def __init__(self, api: ApiProcess, number: int) -> None:
        super().__init__()
        self.connection = api.connect()
        self.dice = random.Random(number)
        self.histories: dict[str, list[Operation]] = {f"register-{k}": [] for k in range(KEYS)}
        self.seen: dict[str, str] = {}
        self.problem: BaseException | None = None

    def run(self) -> None:
        try:
            for _ in range(REQUESTS):
                name = self.dice.choice(list(self.histories))
                if name not in self.seen or self.dice.random() < 0.4:
                    self._read(name)
                else:
                    self._swap(name)
        except BaseException as error:
            self.problem = error
        finally:
            self.connection.close()

    def _read(self, name: str) -> None:
        began = time.monotonic()
        answer = ask(self.connection, "GET", f"{PATH}/{name}")
        ended = time.monotonic()
        version = answer.json["metadata"]["resourceVersion"]
        self.seen[name] = version
        self.histories[name].append(Operation(began, ended, "read", "", version, True))

    def _swap(self, name: str) -> None:
        version = self.seen[name]
        meta = {"name": name, "resourceVersion": version}
        obj = {"metadata": meta, "data": {"x": str(self.dice.random())}}
        began = time.monotonic()
        answer = ask(self.connection, "PUT", f"{PATH}/{name}", obj)
        ended = time.monotonic()
        assert answer.status in (200, 409), answer
        done = answer.status == 200
        after = answer.json["metadata"]["resourceVersion"] if done else ""
        if done:
            self.seen[name] = after
        self.histories[name].append(Operation(began, ended, "swap", version, after, done))


def test_concurrent_swaps_happen_in_one_order(tmp_path: Path) -> None:
    """Invariant A1."""
    with ApiProcess(tmp_path) as api:
        initial = {}
        for key in range(KEYS):
            answer = api.ask("POST", PATH, {"metadata": {"name": f"register-{key}"}})
            initial[f"register-{key}"] = answer.json["metadata"]["resourceVersion"]
        clients = [Client(api, number) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(60)
    assert not [c.problem for c in clients if c.problem]
    swaps = [o for c in clients for h in c.histories.values() for o in h if o.kind == "swap"]
    assert any(o.done for o in swaps)
    assert any(not o.done for o in swaps)
    for name, first in initial.items():
        assert is_linearizable([o for c in clients for o in c.histories[name]], first), name


def test_the_checker_sees_a_lost_update_and_a_stale_read() -> None:
    swap = Operation(0, 1, "swap", "1", "2", True)
    assert is_linearizable([swap, Operation(2, 3, "read", "", "2", True)], "1")
    assert is_linearizable([swap, Operation(0.5, 3, "read", "", "1", True)], "1")
    assert not is_linearizable([swap, Operation(2, 3, "read", "", "1", True)], "1")
    assert not is_linearizable([swap, Operation(0, 1, "swap", "1", "3", True)], "1")
    assert not is_linearizable([Operation(0, 1, "swap", "1", "", False)], "1")
