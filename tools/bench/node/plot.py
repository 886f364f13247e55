"""The plot of the parameter servers as SVG, written by hand: two curves need no library, and text can be compared. Pure."""

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from tools.bench.node.gates import Section

WIDTH, HEIGHT = 760, 330
_COLOURS = {"async": "#c2410c", "sync": "#1d4ed8"}
_INK, _PALE = "#1f2937", "#d1d5db"
_FONT = "font-family='system-ui, sans-serif' font-size='12'"


class Panel(NamedTuple):
    """Where one plot stands, and which values it shows."""

    left: int
    title: str
    key: str
    low: float
    high: float
    digits: int
    top: int = 62
    width: int = 300
    height: int = 205

    def x(self, workers: float, most: int) -> float:
        """Returns the place of a number of workers."""
        return self.left + self.width * (workers - 1) / max(1, most - 1)

    def y(self, value: float) -> float:
        """Returns the height of a value."""
        return self.top + self.height * (1 - (value - self.low) / (self.high - self.low))


def plotted(rows: Sequence[Section], caption: str) -> str:
    """Returns the picture: speed on the left, accuracy on the right, over the number of workers."""
    fastest = max(row["samples_per_second"] for row in rows)
    worst = min(row["accuracy"] for row in rows)
    panels = (
        Panel(60, "samples per second, all workers", "samples_per_second", 0, rounded_up(fastest), 0),
        Panel(430, "accuracy at the end", "accuracy", min(0.9, floor(worst * 20) / 20), 1.0, 2),
    )
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' {_FONT} fill='{_INK}'>"]
    parts.append(f"<rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>")
    parts.append("<text x='30' y='26' font-size='15' font-weight='600'>Parameter servers: sync beside async</text>")
    for place, (mode, colour) in enumerate(_COLOURS.items()):
        x = WIDTH - 160 + 70 * place
        parts.append(f"<circle cx='{x}' cy='22' r='4' fill='{colour}'/><text x='{x + 9}' y='26'>{mode}</text>")
    for panel in panels:
        parts += _panel(panel, rows)
    parts.append(f"<text x='30' y='{HEIGHT - 12}' font-size='10' fill='#6b7280'>{escape(caption)}</text>")
    return "\n".join([*parts, "</svg>", ""])


def rounded_up(value: float) -> float:
    """Returns the next round number above a value, such that a fifth of it is one as well."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return next(unit * step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if unit * step >= value)


def _panel(panel: Panel, rows: Sequence[Section]) -> Iterator[str]:
    most = max(row["workers"] for row in rows)
    yield f"<text x='{panel.left}' y='{panel.top - 14}' font-weight='600'>{panel.title}</text>"
    for step in range(6):
        value = panel.low + (panel.high - panel.low) * step / 5
        y = panel.y(value)
        yield f"<path d='M{panel.left} {y:.1f}h{panel.width}' stroke='{_PALE}'/>"
        yield f"<text x='{panel.left - 8}' y='{y + 4:.1f}' text-anchor='end'>{value:,.{panel.digits}f}</text>"
    for workers in sorted({row["workers"] for row in rows}):
        x, y = panel.x(workers, most), panel.top + panel.height + 18
        yield f"<text x='{x:.1f}' y='{y}' text-anchor='middle'>{workers}</text>"
    yield f"<text x='{panel.left + panel.width}' y='{panel.top + panel.height + 34}' text-anchor='end'>workers</text>"
    for mode in _COLOURS:
        yield from _curve(panel, [row for row in rows if row["mode"] == mode], most)


def _curve(panel: Panel, rows: Sequence[Section], most: int) -> Iterator[str]:
    points = [(panel.x(row["workers"], most), panel.y(row[panel.key]), row) for row in rows]
    if not points:
        return
    colour = _COLOURS[rows[0]["mode"]]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    yield f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2.5' stroke-linejoin='round'/>"
    for x, y, row in points:
        told = f"{row['mode']}, {row['workers']} workers: {row[panel.key]:,.{ceil(panel.digits * 1.5)}f}"
        yield f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{colour}'><title>{told}</title></circle>"
