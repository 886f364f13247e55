"""The seal: what the log says about itself, written in the same transaction as every change of it.

A checksum per row shows a row that was altered; only the seal shows one that vanished or came back. It carries a
checksum of its own, because a wrong `compacted` would let watches resume over a gap.
"""

import zlib
from typing import Any, NamedTuple


class Seal(NamedTuple):
    """How many rows there are, the exclusive-or of their sums, and up to where superseded rows were dropped."""

    rows: int = 0
    digest: int = 0
    compacted: int = 0

    def checksum(self) -> int:
        """Returns the CRC-32 over everything in the seal."""
        return zlib.crc32(f"{self.rows} {self.digest} {self.compacted}".encode())

    def with_row(self, sum_: int) -> "Seal":
        """Returns the seal after a row with this sum was added."""
        return Seal(self.rows + 1, self.digest ^ sum_, self.compacted)

    def without_row(self, sum_: int) -> "Seal":
        """Returns the seal after a row with this sum was dropped."""
        return Seal(self.rows - 1, self.digest ^ sum_, self.compacted)


def seal_in(found: list[tuple[Any, ...]]) -> Seal | str:
    """Returns the seal in the rows of its table, or the sentence that says what is wrong with it."""
    if len(found) != 1 or not all(isinstance(part, int) for part in found[0]):
        return "its seal is missing"
    *parts, sum_ = found[0]
    seal = Seal(*parts)
    return seal if seal.checksum() == sum_ else "its seal was altered"
