"""The file in which the mappings of images are kept: `images.json` in the folder of the node.

Writers take a lock and replace the file in one step, so a reader sees the old or the new, and needs no lock. The node
asks before each start of a container; the file is read only when it is another one than before.
"""

import os

import msgspec

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.images.mapping import ImageMapping
from corral.engine.small_files import open_plain, write_private
from corral.engine.supervisor.locking import HeldLock, take

_NOTHING = (0, 0, 0)


class _Document(msgspec.Struct, frozen=True):
    mappings: tuple[ImageMapping, ...] = ()


class ImageRegister:
    """The mappings in one file, in the order in which they were made."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._seen = _NOTHING
        self._held: tuple[ImageMapping, ...] = ()

    def mappings(self) -> tuple[ImageMapping, ...]:
        """Returns what the file says now; none when there is no file, StartRefusedError when it cannot be read."""
        try:
            state = os.stat(self.path)
            mark = (state.st_mtime_ns, state.st_size, state.st_ino)
            if mark != self._seen:
                with open(open_plain(self.path, follows_links=True), "rb") as file:
                    self._held = msgspec.json.decode(file.read(), type=_Document).mappings
                self._seen = mark
        except FileNotFoundError:
            self._held, self._seen = (), _NOTHING
        except (OSError, msgspec.DecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            message = f"what images mean here cannot be read from {self.path}: {why}"
            raise StartRefusedError("CreateContainerConfigError", message) from error
        return self._held

    def put(self, mapping: ImageMapping) -> bool:
        """Adds a mapping as the latest, in place of one with the same pattern; tells whether there was one."""
        with self._lock():
            others = tuple(one for one in self.mappings() if one.pattern != mapping.pattern)
            was_there = len(others) < len(self._held)
            self._write((*others, mapping))
            return was_there

    def drop(self, pattern: str) -> bool:
        """Removes the mapping of a pattern; tells whether there was one."""
        with self._lock():
            others = tuple(one for one in self.mappings() if one.pattern != pattern)
            was_there = len(others) < len(self._held)
            if was_there:
                self._write(others)
            return was_there

    def _lock(self) -> HeldLock:
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        return take(f"{self.path}.lock")

    def _write(self, mappings: tuple[ImageMapping, ...]) -> None:
        text = msgspec.json.format(msgspec.json.encode(_Document(mappings)), indent=2).decode()
        write_private(self.path, text + "\n")
