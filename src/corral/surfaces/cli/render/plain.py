"""Plain text for terminals: columns, sizes, durations."""

from collections.abc import Callable, Sequence


def table(rows: Sequence[Sequence[str]], indent: str = "", *, paint: Callable[[str], str] | None = None) -> str:
    """Returns rows as aligned columns, two blanks apart, without blanks at line ends; `paint` colours single cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join([indent + _line(row, widths, paint) for row in rows])


def _line(row: Sequence[str], widths: Sequence[int], paint: Callable[[str], str] | None) -> str:
    if paint is None:
        return "  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=True)]).rstrip()
    used = max((number + 1 for number, cell in enumerate(row) if cell.rstrip()), default=0)
    cells = [paint(cell) for cell in row[:used]]
    blanks = [" " * (width - len(cell) + 2) for cell, width in zip(row[:used], widths, strict=False)]
    return "".join(cell + blank for cell, blank in zip(cells, [*blanks[:-1], ""], strict=True)).rstrip()


def size(count: int) -> str:
    """Returns a number of bytes as `512 B`, `3.1 MiB`."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("unreachable: GiB ends the loop")


def short_age(seconds: float) -> str:
    """Returns a duration in its largest unit alone, the way Arena does: `45s`, `3m`, `2h`, `3d`, `1y`."""
    whole = max(0, int(seconds))
    for unit, length in (("y", 365 * 86400), ("d", 86400), ("h", 3600), ("m", 60)):
        if whole >= length:
            return f"{whole // length}{unit}"
    return f"{whole}s"
