"""Short notation for columns, so that a kind's table reads as one line: `Ready`, `Desired:integer`, `IP*` (wide)."""

from corral.engine.apiserver.resources.resource import Column

_MEANINGS = {
    "Name": "Name of the object.",
    "Age": "Time since the object was created.",
    "Created At": "When the object was created.",
    "Containers": "Names of the containers in the template.",
    "Images": "Images of the containers in the template.",
    "Selector": "Labels by which pods are chosen.",
}


def columns(*notes: str) -> tuple[Column, ...]:
    """Returns columns from notes: a name, then `:type` unless string, then `*` when shown only with `-o wide`."""
    return tuple(_column(note) for note in notes)


def _column(note: str) -> Column:
    wide = note.endswith("*")
    name, _, kind = note.removesuffix("*").partition(":")
    return Column(
        name=name,
        type=kind or "string",
        format="name" if name == "Name" else "",
        description=_MEANINGS.get(name, ""),
        priority=1 if wide else 0,
    )
