"""The read model, the history and the log against a naive model: a list of every state there ever was."""

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.storage.entry import Change, Collection, Entry
from corral.engine.apiserver.storage.history import History
from corral.engine.apiserver.storage.store import Store
from tests.durability.state_files import COLLECTION, state_of, write

NAMES = st.sampled_from(["a", "b", "b-c", "b.c", "c", "z"])
NAMESPACES = st.sampled_from(["n", "n-1", "n1", "m"])
WRITES = st.lists(st.tuples(NAMESPACES, NAMES, st.one_of(st.none(), st.binary(max_size=8))), max_size=40)

Keyed = dict[str, tuple[int, bytes]]


class Model:
    """Every state there ever was, by revision."""

    def __init__(self) -> None:
        self.states: list[Keyed] = [{}]

    def write(self, key: str, value: bytes | None) -> None:
        state = dict(self.states[-1])
        if value is None:
            state.pop(key, None)
        else:
            state[key] = (len(self.states), value)
        self.states.append(state)


def contents(collection: Collection) -> Keyed:
    return {entry.key: (entry.rev, entry.value) for entry in collection.scan()}


@given(WRITES, st.integers(1, 50), st.integers(100, 5000))
def test_history_undoes_to_every_revision_it_claims_to_hold(
    writes: list[tuple[str, str, bytes | None]], most: int, most_bytes: int
) -> None:
    model, live = Model(), Collection("/things")
    history = History(0, most=most, most_bytes=most_bytes)
    kept: dict[int, str] = {}
    for rev, (namespace, name, value) in enumerate(writes, 1):
        key = f"{namespace}/{name}"
        old = live.get(key)
        entry = Entry(key, rev, value if value is not None else old.value if old else b"")
        if value is not None:
            live.put(entry)
        elif old is not None:
            live.remove(key)
        model.write(key, value)
        kept[rev] = key
        for dropped in history.add(Change(rev, "/things", old, entry if value is not None else None, entry)):
            assert dropped <= history.floor
            assert dropped not in {r for r, _ in live_entries(live)}
            kept.pop(dropped, None)
    assert contents(live) == model.states[-1]
    for revision in range(history.floor, len(writes) + 1):
        assert contents(history.undone(live, revision)) == model.states[revision]
        assert [c.rev for c in history.since(revision)] == list(range(revision + 1, len(writes) + 1))


def live_entries(collection: Collection) -> list[tuple[int, bytes]]:
    return [(entry.rev, entry.value) for entry in collection.scan()]


@given(WRITES, NAMESPACES, st.one_of(st.just(""), st.tuples(NAMESPACES, NAMES).map("/".join)))
def test_scans_are_sorted_and_stay_in_their_namespace(
    writes: list[tuple[str, str, bytes | None]], namespace: str, after: str
) -> None:
    collection, keys = Collection("/things"), set()
    for rev, (where, name, value) in enumerate(writes, 1):
        key = f"{where}/{name}"
        if value is not None:
            collection.put(Entry(key, rev, value))
            keys.add(key)
        elif key in keys:
            collection.remove(key)
            keys.remove(key)
    assert [e.key for e in collection.scan()] == sorted(keys)
    wanted = sorted(k for k in keys if k.startswith(namespace + "/") and k > after)
    assert [e.key for e in collection.scan(namespace, after)] == wanted
    assert len(collection) == len(keys)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, st.one_of(st.none(), st.text(max_size=5))),
        st.tuples(st.just("crash"), st.just(""), st.none()),
        st.tuples(st.just("restart"), st.just(""), st.none()),
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_a_store_that_crashes_at_any_commit_equals_the_model(steps: list[tuple[str, str, str | None]]) -> None:
    """Invariants S1 and S3."""
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    try:
        asyncio.run(_run(root, steps))
    finally:
        shutil.rmtree(root)


async def _run(root: Path, steps: list[tuple[str, str, str | None]]) -> None:
    store, generation = Store(root / "0"), 0
    model: dict[str, str] = {}
    for step, name, text in steps:
        if step == "write":
            await write(store, name, text)
            if text is None:
                model.pop(name, None)
            else:
                model[name] = text
        else:
            before = state_of(store)
            if step == "crash":
                generation += 1
                # What the disk holds at this moment is all that a killed process leaves.
                shutil.copytree(root / str(generation - 1), root / str(generation))
            await store.close()
            store = Store(root / str(generation))
            assert state_of(store) == before
        found = {e.name: e.decoded()["data"]["text"] for e in store.collection(COLLECTION).scan()}
        assert found == model
    await store.close()
