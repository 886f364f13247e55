"""Files of this machine as one stream and back: a tar archive, since that is what containers have a program for."""

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Tally(NamedTuple):
    """How much was copied."""

    files: int = 0
    size: int = 0
    left_out: tuple[str, ...] = ()
    """What could not be taken, each with the reason."""


OnTally = Callable[[Tally], None]
"""Is told again and again how far it is."""


class Packer(Protocol):
    """Makes an archive of a file or a folder."""

    def pack(self, source: str, name: str, write: Callable[[bytes], None], on_tally: OnTally) -> Tally:
        """Writes `source` as an archive in which it is called `name`.

        Links inside of a folder stay links; what is neither file, folder nor link is left out. What cannot be read is
        PermanentError.
        """


class Unpacker(Protocol):
    """Takes files out of an archive that somebody sent who is not to be trusted."""

    def unpack(self, read: Callable[[int], bytes], stem: str, target: str, on_tally: OnTally) -> "Unpacked":
        """Reads an archive, in which everything is called `stem` or stands below it, and keeps it beside `target`.

        Nothing leads out of the folder: no absolute name, no `..`, no link to elsewhere, no device. A link or a device is
        left out and told; a name that was not asked for, and more than the disk can hold, are PermanentError.
        """


class Unpacked(Protocol):
    """What was taken out, not yet where it belongs."""

    tally: Tally

    def install(self) -> None:
        """Puts it where it belongs: a new name in one step, and into a folder that is there file by file."""

    def discard(self) -> None:
        """Removes what was not installed."""
