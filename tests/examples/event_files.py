"""Reads the event files of TensorBoard: records of a length, its check, the bytes of an event and theirs."""

import struct
from collections.abc import Iterator
from pathlib import Path

HEADER, FOOTER = 12, 4


def records(path: Path) -> Iterator[bytes]:
    """Yields the events of a file; a file that ends within a record was cut off, which a killed writer may do."""
    content = path.read_bytes()
    at = 0
    while at + HEADER <= len(content):
        (length,) = struct.unpack_from("<Q", content, at)
        end = at + HEADER + length + FOOTER
        if end > len(content):
            return
        yield content[at + HEADER : end - FOOTER]
        at = end


def has_curve(folder: Path, name: str) -> bool:
    """Tells whether some event file of a folder has points of a curve; its name stands in every one of them."""
    return any(name.encode() in record for path in folder.rglob("*tfevents*") for record in records(path))
