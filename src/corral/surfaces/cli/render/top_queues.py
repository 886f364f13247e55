"""Queues as a table: GPUs first, and processors and memory where somebody has bounds on them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.job_table import NOTHING
from corral.surfaces.cli.render.terminal import Surroundings

if TYPE_CHECKING:
    from corral.control.desk.top.queue_lines import QueueLine

GPU = "nvidia.com/gpu"
_TITLES = {GPU: "GPU", "cpu": "CPU", "memory": "MEMORY"}
_UNBOUNDED = "-"


def top_queues(lines: "Sequence[QueueLine]", where: Surroundings) -> str:
    """Returns one line for each queue, behind the one that it is a part of."""
    return laid_out(_columns(lines), lines, where)


def _columns(lines: "Sequence[QueueLine]") -> "list[Column[QueueLine]]":
    bounded = {name for one in lines for name in (*one.guarantee, *one.limit)}
    resources = [GPU, *sorted(bounded - {GPU})]
    return [
        Column("NAME", lambda line: line.name),
        *([Column("PARENT", _parent, gives_way=2)] if any(one.parent for one in lines) else []),
        *(_amounts(name, place) for place, name in enumerate(resources)),
        Column("RUNNING", lambda line: _count(line.running)),
        Column("WAITING", lambda line: _count(line.waiting)),
        Column("WEIGHT", lambda line: str(line.weight), gives_way=1),
        Column("STATE", lambda line: line.state or NOTHING),
    ]


def _parent(line: "QueueLine") -> str:
    return line.parent or NOTHING


def _amounts(resource: str, place: int) -> "Column[QueueLine]":
    title = f"{_TITLES.get(resource, resource)}(Used/Guaranteed/Limit)"
    return Column(title, partial(_of, resource), gives_way=100 - place if place else 0)


def _of(resource: str, line: "QueueLine") -> str:
    used = NOTHING if line.used is None else str(line.used.get(resource, 0))
    return f"{used}/{_bound(line.guarantee, resource, '0')}/{_bound(line.limit, resource, _UNBOUNDED)}"


def _bound(amounts: Mapping[str, Any], resource: str, otherwise: str) -> str:
    return str(amounts[resource]) if resource in amounts else otherwise


def _count(number: int | None) -> str:
    return NOTHING if number is None else str(number)
