"""State directories for tests: filled with writes, left as a crash leaves them, read back as a whole."""

import asyncio
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from corral.engine.apiserver.storage.store import Store

COLLECTION = "/configmaps"


class State(NamedTuple):
    """Everything that a client can tell apart."""

    revision: int
    floor: int
    objects: dict[str, bytes]
    changes: tuple[tuple[int, str, bool], ...]


def state_of(store: Store) -> State:
    objects = {f"{c.name}/{e.key}": e.value for c in store.collections() for e in c.scan()}
    floor = store.history.floor
    changes = tuple((c.rev, c.entry.key, c.new is None) for c in store.history.since(floor))
    return State(store.revision, floor, objects, changes)


def made(name: str, text: str) -> dict[str, Any]:
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, "data": {"text": text}}


async def write(store: Store, name: str, text: str | None) -> None:
    """Stores a text under a name, or deletes the name."""
    key = f"default/{name}"
    async with store.locked(COLLECTION, key) as entry:
        if text is not None:
            await store.put(COLLECTION, key, made(name, text))
        elif entry is not None:
            await store.remove(COLLECTION, key, entry.decoded())


def filled(directory: Path, writes: int = 30, *, first: int = 0) -> State:
    """Fills a directory with creates, updates and deletes, closes it, and returns the state."""

    async def fill() -> State:
        store = Store(directory)
        for number in range(first, first + writes):
            text = None if number % 7 == 6 else f"text {number} " + "y" * (number * 37 % 300)
            await write(store, f"name-{number % 5}", text)
        state = state_of(store)
        await store.close()
        return state

    return asyncio.run(fill())


def crashed(directory: Path, target: Path, writes: int = 30) -> State:
    """Like `filled`, but `target` gets the files as they are at the end, unmerged, as after kill -9."""

    async def fill() -> State:
        store = Store(directory)
        for number in range(writes):
            text = None if number % 7 == 6 else f"text {number} " + "y" * (number * 37 % 300)
            await write(store, f"name-{number % 5}", text)
        state = state_of(store)
        shutil.copytree(directory, target)
        await store.close()
        return state

    return asyncio.run(fill())


def read(directory: Path) -> State:
    """Opens a directory, returns its state and closes it again."""

    async def look() -> State:
        store = Store(directory)
        try:
            return state_of(store)
        finally:
            await store.close()

    return asyncio.run(look())


def files_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir()) if path.is_file()}


def lay(directory: Path, files: dict[str, bytes]) -> Path:
    """Makes a directory hold exactly these files."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    return directory
