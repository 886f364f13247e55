"""Tables whose first columns are Arena's, which scripts read, and whose last are ours, shown where there is room.

On a terminal no line is longer than the terminal as long as that can be: texts are cut or continue on the next line, and
columns are left out, the least useful first. Names that people copy stay whole. Into a pipe goes the full text.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from corral.surfaces.cli.render.colours import painted
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.render.terminal import Surroundings

T = TypeVar("T")
_GAP = 2
_LEAST = 16
"""A text that is cut to less than this says nothing."""
_PROSE = 40
"""In so much a sentence is read well."""
_LEAST_PROSE = 20
"""In less than this none can be read; then a line is too long instead."""


class Column(NamedTuple, Generic[T]):
    """One column: its title, and what it shows of a row."""

    title: str
    cell: Callable[[T], str]
    is_ours: bool = False
    """Whether it is left out where there is no room."""
    is_elastic: bool = False
    """Whether its text may be cut to the room that is left."""
    gives_way: int = 0
    """When it is left out so that a line fits into a terminal: 1 is the first to go, 0 stays."""
    is_prose: bool = False
    """Whether its text, that of the last column, may go on in the next line."""
    keeps_end: bool = False
    """Whether the end of a text that is cut says more than its beginning, as with names of pods."""


_Placed = tuple[Column[T], list[str]]


def laid_out(
    columns: Sequence[Column[T]],
    rows: Sequence[T],
    where: Surroundings,
    *,
    wide: bool = False,
    indent: str = "",
    underlined: bool = False,
) -> str:
    """Returns a table: all of Arena's columns, and of ours those for which there is room, or all when it shall be wide.

    Into a file or a pipe ours are left out unless asked for: what reads them there knows how many columns there are. Columns
    without titles make a table without a first line.
    """
    room = None if where.width is None else where.width - len(indent)
    if room is None and not wide:
        columns = [column for column in columns if not column.is_ours]  # what nobody sees need not be made
    cells = [[column.title, *_texts(column, rows, where)] for column in columns]
    placed = list(zip(columns, cells, strict=True))
    kept = placed if wide else _fitting(placed, room)
    lines = [list(line) for line in zip(*(texts for _, texts in kept), strict=True)]
    if not any(lines[0]):
        del lines[0]
    if underlined:
        lines.insert(1, ["-" * len(title) for title in lines[0]])
    if room is not None and not wide and kept[-1][0].is_prose:
        lines = _wrapped(lines, room)
    return table(lines, indent, paint=painted if where.is_coloured else None)


def _texts(column: Column[T], rows: Sequence[T], where: Surroundings) -> list[str]:
    """Returns what a column shows of each row, on one line and harmless: one printable word is that already."""
    return [
        text if text.isprintable() and " " not in text else where.safe(" ".join(text.split()))
        for text in [column.cell(row) for row in rows]
    ]


def _fitting(placed: "Sequence[_Placed[T]]", room: int | None) -> "list[_Placed[T]]":
    """Returns the columns for which there is room; None is none for ours."""
    arenas = kept = [one for one in placed if not one[0].is_ours]
    if room is None:
        return kept
    for column in sorted((one for one, _ in kept if one.gives_way), key=lambda one: one.gives_way):
        if _least_used(kept) > room:
            kept = [one for one in kept if one[0] is not column]
    kept, is_full = _shortened(kept, room), len(kept) < len(arenas)
    used = sum(_taken(one) + _GAP for one in kept)
    for column, texts in placed:
        left = room - used
        if is_full or not column.is_ours or left <= 0:
            continue
        cut = _cut(column, texts, left) if column.is_elastic and left >= _LEAST else texts
        if _width(cut) <= left:
            kept.append((column, cut))
            used += _width(cut) + _GAP
    return kept


def _least_used(kept: "Sequence[_Placed[T]]") -> int:
    """Returns the room of some columns when every text that may be cut is."""
    least = [min(_taken(one), max(_LEAST, len(one[0].title))) if one[0].is_elastic else _taken(one) for one in kept]
    return sum(least) + _GAP * (len(least) - 1)


def _shortened(kept: "Sequence[_Placed[T]]", room: int) -> "list[_Placed[T]]":
    """Returns the columns with texts cut by as much as is needed and may be."""
    over = sum(_taken(one) + _GAP for one in kept) - _GAP - room
    done = []
    for column, texts in kept:
        width = _width(texts)
        if over > 0 and column.is_elastic:
            less = max(width - over, min(width, max(_LEAST, len(column.title))))
            done.append((column, _cut(column, texts, less)))
            over -= width - less
        else:
            done.append((column, texts))
    return done


def _taken(placed: "_Placed[T]") -> int:
    """Returns the room that a column needs; prose makes do with little."""
    column, texts = placed
    return min(_width(texts), _PROSE) if column.is_prose else _width(texts)


def _cut(column: "Column[T]", texts: list[str], width: int) -> list[str]:
    return [text if len(text) <= width else _short(text, width, keeps_end=column.keeps_end) for text in texts]


def _short(text: str, width: int, *, keeps_end: bool) -> str:
    return f"...{text[3 - width :]}" if keeps_end else f"{text[: width - 3]}..."


def _wrapped(lines: list[list[str]], room: int) -> list[list[str]]:
    """Returns lines whose last text goes on below itself where it would not fit."""
    from textwrap import wrap

    left = room - sum(max(len(line[place]) for line in lines) + _GAP for place in range(len(lines[0]) - 1))
    done: list[list[str]] = []
    for *others, prose in lines:
        parts = wrap(prose, max(left, _LEAST_PROSE), break_on_hyphens=False) or [""]
        done.append([*others, parts[0]])
        done += [[*[""] * len(others), part] for part in parts[1:]]
    return done


def _width(texts: list[str]) -> int:
    return max(len(text) for text in texts)
