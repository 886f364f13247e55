"""Amounts in use as people read them, and N/A for what is not measured."""

from typing import TYPE_CHECKING

from corral.surfaces.cli.render.job_table import NOTHING

if TYPE_CHECKING:
    from corral.control.desk.top.usage import Usage

_UNITS = (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))


def processors(count: float | None) -> str:
    """Returns a number of processors: `1.5`, `0.02`."""
    return NOTHING if count is None else f"{count:.2f}".rstrip("0").rstrip(".") or "0"


def memory(count: int | None) -> str:
    """Returns a number of bytes: `1.5Gi`, `200Mi`."""
    if count is None:
        return NOTHING
    for unit, size in _UNITS:
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + unit
    return str(count)


def of_processors(usage: "Usage", total: float) -> str:
    """Returns what is used of all."""
    return f"{processors(usage.cpu)}/{processors(total)}"


def of_memory(usage: "Usage", total: int) -> str:
    """Returns what is used of all."""
    return f"{memory(usage.memory)}/{memory(total)}"
