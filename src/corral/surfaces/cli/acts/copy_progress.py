"""How far a copy is: one line that is written again and again on a terminal, and a last one everywhere."""

import sys
import time
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.render.plain import size

if TYPE_CHECKING:
    from corral.control.desk.copies.copying import Copied
    from corral.ports.archives import Tally

_EVERY = 0.2
_MOST_TOLD = 20
_CLEARED = "\r\x1b[K"


class CopyProgress:
    """Tells of one copy while it is made; entered for as long as that takes."""

    def __init__(self) -> None:
        self._is_live = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._shown_at = self._begun

    def __enter__(self) -> "CopyProgress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live and self._shown_at != self._begun:
            sys.stderr.write(_CLEARED)
            sys.stderr.flush()

    def show(self, tally: "Tally") -> None:
        """Shows the state, a few times a second."""
        now = time.monotonic()
        if not self._is_live or now - self._shown_at < _EVERY:
            return
        self._shown_at = now
        sys.stderr.write(f"{_CLEARED}{self._amount(tally)}, {size(self._speed(tally, now))}/s")
        sys.stderr.flush()

    def summarise(self, copied: "Copied", where: str) -> None:
        """Tells what was copied, and what was not."""
        tally = copied.tally
        took = time.monotonic() - self._begun
        tell(f"copied {self._amount(tally)} to {where} in {took:.1f} s")
        if copied.note:
            tell(f"note: {copied.note}")
        for one in tally.left_out[:_MOST_TOLD]:
            tell(f"left out: {one}")
        if len(tally.left_out) > _MOST_TOLD:
            tell(f"left out: {len(tally.left_out) - _MOST_TOLD} more")

    def _amount(self, tally: "Tally") -> str:
        return f"{tally.files} file{'' if tally.files == 1 else 's'}, {size(tally.size)}"

    def _speed(self, tally: "Tally", now: float) -> int:
        return int(tally.size / max(now - self._begun, 0.001))
