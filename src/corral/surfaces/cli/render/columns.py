"""Tables whose first columns are Arena's, which scripts read, and whose last are ours, shown where there is room."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from corral.surfaces.cli.render.colours import painted
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.render.terminal import Surroundings

T = TypeVar("T")
_GAP = 2
_LEAST = 16
"""A text that is cut to less than this says nothing."""


class Column(NamedTuple, Generic[T]):
    """One column: its title, and what it shows of a row."""

    title: str
    cell: Callable[[T], str]
    is_ours: bool = False
    """Whether it is left out where there is no room."""
    is_elastic: bool = False
    """Whether its text may be cut to the room that is left."""


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

    Into a file or a pipe ours are left out unless asked for: what reads them there knows how many columns there are.
    """
    cells = [[column.title, *(where.safe(" ".join(column.cell(row).split())) for row in rows)] for column in columns]
    room = None if where.width is None else where.width - len(indent)
    lines = [list(line) for line in zip(*(cells if wide else _fitting(columns, cells, room)), strict=True)]
    if underlined:
        lines.insert(1, ["-" * len(title) for title in lines[0]])
    return table(lines, indent, paint=painted if where.is_coloured else None)


def _fitting(columns: Sequence[Column[T]], cells: list[list[str]], room: int | None) -> list[list[str]]:
    """Returns the columns for which there is room; None is none for ours."""
    kept = [texts for column, texts in zip(columns, cells, strict=True) if not column.is_ours]
    used = sum(_width(texts) + _GAP for texts in kept)
    for column, texts in zip(columns, cells, strict=True):
        left = 0 if room is None else room - used
        if not column.is_ours or left <= 0:
            continue
        if _width(texts) > left and column.is_elastic and left >= _LEAST:
            texts = [text if len(text) <= left else f"{text[: left - 3]}..." for text in texts]
        if _width(texts) <= left:
            kept.append(texts)
            used += _width(texts) + _GAP
    return kept


def _width(texts: list[str]) -> int:
    return max(len(text) for text in texts)
