"""A body in parts: a list of ten thousand objects is sent from the bytes that the store holds, without a copy of it all."""

from collections.abc import Iterator, Sequence

GROUP_BYTES = 256 << 10


class Parts:
    """Bytes that follow one another. Entries never change, so a list stays what it was while it is being sent.

    The first and the last piece are the object around the items; its last field is the array that holds them.
    """

    __slots__ = ("_pieces", "size")

    def __init__(self, pieces: Sequence[bytes | memoryview]) -> None:
        self._pieces = pieces
        self.size = sum(map(len, pieces))

    def frame(self) -> bytes:
        """Returns the object with an empty array where its items go."""
        return bytes(self._pieces[0]) + bytes(self._pieces[-1])

    def items(self) -> Iterator[bytes]:
        """Yields the items one by one: each is two pieces, the first of which begins with a comma but for the first."""
        for at in range(1, len(self._pieces) - 1, 2):
            yield b"".join(self._pieces[at : at + 2]).removeprefix(b",")

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
