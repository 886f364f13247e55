"""The API server's own table of a kind, printed plainly."""

from typing import Any

from corral.surfaces.cli.render.plain import table


def server_table(answer: dict[str, Any], *, everywhere: bool, wide: bool) -> str:
    """Returns the rows that a server sent; columns of lesser priority only when asked for."""
    columns = answer.get("columnDefinitions") or []
    kept = [at for at, column in enumerate(columns) if wide or not column.get("priority")]
    head = [*(["NAMESPACE"] if everywhere else []), *(str(columns[at]["name"]).upper() for at in kept)]
    rows = []
    for row in answer.get("rows") or []:
        metadata = (row.get("object") or {}).get("metadata") or {}
        cells = row.get("cells") or []
        where = [str(metadata.get("namespace", ""))] if everywhere else []
        rows.append([*where, *(_cell(cells[at]) if at < len(cells) else "" for at in kept)])
    return table([head, *rows])


def _cell(value: Any) -> str:
    if value is None:
        return "<none>"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("\n", " ")
