"""A body in parts: a list of ten thousand objects is sent from the bytes that the store holds, without a copy of it all."""

from collections.abc import Iterator, Sequence

GROUP_BYTES = 256 << 10


class Parts:
    """Bytes that follow one another. Entries never change, so a list stays what it was while it is being sent."""

    __slots__ = ("_pieces", "size")

    def __init__(self, pieces: Sequence[bytes | memoryview]) -> None:
        self._pieces = pieces
        self.size = sum(map(len, pieces))

    def joined(self) -> bytes:
        """Returns everything in one."""
        return b"".join(self._pieces)

    def groups(self) -> Iterator[bytes]:
        """Yields everything in pieces large enough to be worth a system call."""
        group: list[bytes | memoryview] = []
        size = 0
        for piece in self._pieces:
            group.append(piece)
            size += len(piece)
            if size >= GROUP_BYTES:
                yield b"".join(group)
                group, size = [], 0
        if group:
            yield b"".join(group)
