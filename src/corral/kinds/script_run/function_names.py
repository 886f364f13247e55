"""Which names of its surroundings a piece of source uses. Nothing of it is run."""

import symtable
from collections.abc import Iterator

_FUTURE = "from __future__ import annotations\n"
"""Names that only annotations use are not needed where the source is run, and are not looked up there."""


def as_run(source: str) -> str:
    """Returns a source the way it is to be run away from its surroundings."""
    return _FUTURE + source


def names_used(source: str) -> set[str]:
    """Returns the names that a source takes from around it: in decorators and defaults, and in functions at any depth."""
    table = symtable.symtable(as_run(source), "<function>", "exec")
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    top = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    return (top | set(_inside(table))) - own


def _inside(table: symtable.SymbolTable) -> Iterator[str]:
    for child in table.get_children():
        yield from (
            symbol.get_name() for symbol in child.get_symbols() if symbol.is_global() and symbol.is_referenced()
        )
        yield from _inside(child)
