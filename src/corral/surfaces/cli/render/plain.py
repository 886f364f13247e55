"""Plain text for terminals: columns, sizes, durations."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Returns rows as aligned columns, two blanks apart, without blanks at line ends."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(indent + line for line in lines)


def size(count: int) -> str:
    """Returns a number of bytes as `512 B`, `3.1 MiB`."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("unreachable: GiB ends the loop")


def age(seconds: float) -> str:
    """Returns a duration in its two largest units, the way kubectl does: `45s`, `3m12s`, `2h5m`, `3d4h`."""
    whole = max(0, int(seconds))
    for unit, length, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "m", 60), ("m", 60, "s", 1)):
        if whole >= length:
            rest = whole % length // part
            return f"{whole // length}{unit}" + (f"{rest}{smaller}" if rest else "")
    return f"{whole}s"
