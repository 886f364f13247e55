"""Lines of several ranks as one text: each marked with its rank, coloured on a terminal, and harmless there.

A rank's line that comes in parts stays one line as long as no other rank speaks in between. Into a file or a pipe the
bytes go as they were printed.
"""

import codecs
from typing import IO, TYPE_CHECKING

from corral.surfaces.cli.speech.harmless import harmless

if TYPE_CHECKING:
    from corral.control.desk.logs.cursor import Piece

_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)


class LogWriter:
    """Writes pieces of lines to one stream."""

    def __init__(
        self, stream: IO[bytes], *, marked: bool, is_terminal: bool, coloured: bool, timestamps: bool = False
    ) -> None:
        self._stream = stream
        self._marked = marked
        self._is_terminal = is_terminal
        self._coloured = coloured
        self._timestamps = timestamps
        self._open = ""
        self._is_open = False
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._colours: dict[str, int] = {}

    def write(self, label: str, piece: "Piece") -> None:
        """Writes a line, or a part of one."""
        continues = self._is_open and self._open == label and not piece.starts
        if self._is_open and not continues:
            self._stream.write(b"\n")
        text = self._shown(label, piece)
        if not continues:
            stamp = piece.stamp + b" " if self._timestamps and piece.stamp else b""
            text = self._mark(label) + stamp + text
        self._stream.write(text + (b"\n" if piece.ends else b""))
        self._open, self._is_open = label, not piece.ends

    def flush(self) -> None:
        """Lets the reader see what was written."""
        self._stream.flush()

    def end(self) -> None:
        """Ends a line that nobody ended, on a terminal: a prompt must not stick to it."""
        if self._is_open and (self._is_terminal or self._marked):
            self._stream.write(b"\n")
            self._is_open = False
        self._stream.flush()

    def _shown(self, label: str, piece: "Piece") -> bytes:
        if not self._is_terminal:
            return piece.text
        if label not in self._decoders or piece.starts:
            self._decoders[label] = codecs.getincrementaldecoder("utf-8")("replace")
        text = self._decoders[label].decode(piece.text, final=piece.ends)
        # A progress bar goes back to the start of its line; here each of its states is a line of its own.
        lines = harmless(text.removesuffix("\r").replace("\r", "\n")).split("\n")
        return (b"\n" + self._mark(label)).join(line.encode("utf-8", "replace") for line in lines)

    def _mark(self, label: str) -> bytes:
        if not self._marked:
            return b""
        mark = f"[{harmless(label)}]"
        if self._coloured:
            colour = self._colours.setdefault(label, _COLOURS[len(self._colours) % len(_COLOURS)])
            mark = f"\x1b[{colour}m{mark}\x1b[0m"
        return mark.encode() + b" "
