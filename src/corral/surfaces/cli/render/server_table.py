"""The API server's own table of a kind, printed plainly."""

from collections.abc import Sequence
from typing import Any

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.terminal import Surroundings

_Row = Sequence[str]
_STAY = 2
"""So many of the first columns are shown however narrow a terminal is."""


def server_table(answer: dict[str, Any], where: Surroundings, *, everywhere: bool, wide: bool) -> str:
    """Returns the rows that a server sent; columns of lesser priority only when asked for.

    On a terminal that is too narrow the last columns are left out: servers put the most telling ones first.
    """
    columns = answer.get("columnDefinitions") or []
    kept = [at for at, column in enumerate(columns) if wide or not column.get("priority")]
    head = [*(["NAMESPACE"] if everywhere else []), *(str(columns[at]["name"]).upper() for at in kept)]
    rows: list[_Row] = []
    for row in answer.get("rows") or []:
        metadata = (row.get("object") or {}).get("metadata") or {}
        cells = row.get("cells") or []
        place = [str(metadata.get("namespace", ""))] if everywhere else []
        rows.append([*place, *(_cell(cells[at]) if at < len(cells) else "" for at in kept)])
    shown = [_column(title, at, len(head)) for at, title in enumerate(head)]
    # Colours are for the words of jobs; here the server chooses the words.
    return laid_out(shown, rows, where._replace(is_coloured=False), wide=wide)


def _column(title: str, at: int, count: int) -> "Column[_Row]":
    return Column(title, lambda row: row[at], gives_way=count - at if at >= _STAY else 0)


def _cell(value: Any) -> str:
    if value is None:
        return "<none>"
    return str(value).lower() if isinstance(value, bool) else str(value)
