"""Changes to a fleet that are undone unless they are kept: the log, and the scope that rolls it back.

Every change leaves in the log the call that undoes it. Drafts nest: what an inner one keeps, an outer one may still undo.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self


class UndoLog:
    """The calls that lead back, latest last; empty and unused while no draft is open."""

    def __init__(self) -> None:
        self._entries: list[Callable[[], None]] = []
        self._open = 0

    def note(self, undo: Callable[[], None]) -> None:
        """Remembers how a change is undone, if anybody may want that."""
        if self._open:
            self._entries.append(undo)

    def draft(self) -> "Draft":
        """Returns a scope whose changes are undone at its end, unless they are kept."""
        return Draft(self)

    def begin(self) -> int:
        """Opens a scope; returns the mark to roll back to."""
        self._open += 1
        return len(self._entries)

    def back_to(self, mark: int) -> None:
        """Undoes everything since a mark, latest first."""
        opened, self._open = self._open, 0
        while len(self._entries) > mark:
            self._entries.pop()()
        self._open = opened

    def end(self) -> None:
        """Closes a scope; behind the last one nothing can be undone any more."""
        self._open -= 1
        if not self._open:
            self._entries.clear()


class Draft:
    """A scope of changes: `with fleet.draft() as draft:` undoes them at its end, unless `keep` was called."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._mark = 0
        self._is_kept = False

    def keep(self) -> None:
        """Lets the changes stay."""
        self._is_kept = True

    def undo(self) -> None:
        """Undoes everything done in this scope so far, and goes on."""
        self._log.back_to(self._mark)

    def __enter__(self) -> Self:
        self._mark = self._log.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None or not self._is_kept:
            self._log.back_to(self._mark)
        self._log.end()
