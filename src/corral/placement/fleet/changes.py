"""Which rows changed, in order: what followers of a fleet read to renew no more of their tables than they must."""

_LONGEST = 1 << 16


class Changes:
    """A log of rows with positions that only grow; old parts are dropped, and whoever is behind them looks at everything."""

    def __init__(self) -> None:
        self.shape = 0
        """Grows when nodes come or go or get other GPUs: what is known of any row may be wrong then, for how scarce a model is counts."""
        self._dropped = 0
        self._rows: list[int] = []

    @property
    def position(self) -> int:
        """Returns the position behind the latest change."""
        return self._dropped + len(self._rows)

    def row_changed(self, row: int) -> None:
        """Notes that something else is left in a row."""
        if len(self._rows) >= _LONGEST:
            self._dropped += len(self._rows)
            self._rows.clear()
        self._rows.append(row)

    def shape_changed(self) -> None:
        """Notes that a node came or went, or has other GPUs now."""
        self.shape += 1

    def since(self, position: int) -> list[int] | None:
        """Returns the rows changed since a position, each once; None when that is too long ago to tell."""
        if position < self._dropped:
            return None
        return list(dict.fromkeys(self._rows[position - self._dropped :]))
