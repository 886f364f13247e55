"""Traces: node lists and pod lists as comma-separated values, in the form that Alibaba published for its GPU clusters.

Nodes: `sn, cpu_milli, memory_mib, gpu, model`. Pods: `name, cpu_milli, memory_mib, num_gpu, gpu_milli`, and where there is one
`gpu_spec`, the models that will do, separated by `|`. Other columns are passed over.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from corral.errors import PermanentError
from corral.placement.asks import WHOLE, GpuAsk, PodAsk
from corral.placement.offers import GpuOffer, NodeOffer

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")

_MIB = 1 << 20
_MOST_GPUS = 64
_LARGEST = 1 << 40


class TracePod(NamedTuple):
    """One pod of a trace."""

    name: str
    ask: PodAsk


def read_nodes(name: str, lines: Iterable[str]) -> tuple[NodeOffer, ...]:
    """Reads a list of nodes; `name` tells the file in errors."""
    found: dict[str, NodeOffer] = {}
    for place, row in _rows(name, lines, NODE_COLUMNS):
        number = _number(name, place, row, "gpu", _MOST_GPUS)
        cpu, memory = _number(name, place, row, "cpu_milli"), _number(name, place, row, "memory_mib")
        if not row["sn"]:
            raise _unreadable(name, place, "column sn is empty", "every node needs a name")
        if row["sn"] in found:
            raise _unreadable(name, place, f"node {row['sn']} comes twice", "names of nodes tell them apart")
        gpus = (GpuOffer(),) * number
        found[row["sn"]] = NodeOffer(row["sn"], cpu, memory * _MIB, pods=_LARGEST, gpus=gpus, model=row["model"])
    if not found:
        raise PermanentError("bad-trace", f"{name}: there are no nodes in it", hint="one row for each node")
    return tuple(found.values())


def read_pods(name: str, lines: Iterable[str]) -> tuple[TracePod, ...]:
    """Reads a list of pods; `name` tells the file in errors."""
    asks: dict[PodAsk, PodAsk] = {}
    found = []
    for place, row in _rows(name, lines, POD_COLUMNS):
        ask = _ask(name, place, row)
        found.append(TracePod(row["name"], asks.setdefault(ask, ask)))
    if not found:
        raise PermanentError("bad-trace", f"{name}: there are no pods in it", hint="one row for each pod")
    return tuple(found)


def _ask(name: str, place: int, row: Mapping[str, str]) -> PodAsk:
    number = _number(name, place, row, "num_gpu", _MOST_GPUS)
    milli = _number(name, place, row, "gpu_milli", WHOLE) if number else WHOLE
    if not milli:
        raise _unreadable(
            name, place, "num_gpu is above 0 and gpu_milli is 0", "gpu_milli is what it takes of each GPU"
        )
    models = tuple(sorted(filter(None, (row.get("gpu_spec") or "").split("|")))) if number else ()
    gpu = GpuAsk(number, milli, models=models)
    cpu, memory = _number(name, place, row, "cpu_milli"), _number(name, place, row, "memory_mib")
    return PodAsk(cpu, memory * _MIB, gpu)


def _rows(name: str, lines: Iterable[str], columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(lines, restval="")
    try:
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            there = "there is no column" if len(missing) == 1 else "there are no columns"
            raise PermanentError(
                "bad-trace",
                f"{name}: {there} {', '.join(missing)}",
                hint=f"the first line names the columns, at least {','.join(columns)}",
            )
        for row in reader:
            yield reader.line_num, {key: (value or "").strip() for key, value in row.items() if isinstance(key, str)}
    except csv.Error as error:
        raise _unreadable(name, reader.line_num, str(error), "the values of a line are separated by commas") from error


def _number(name: str, place: int, row: Mapping[str, str], column: str, largest: int = _LARGEST) -> int:
    text = row[column]
    value = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= value <= largest:
        wanted = f"a whole number from 0 to {largest}" if largest != _LARGEST else "a whole number that is not huge"
        raise _unreadable(name, place, f"column {column} says {text!r}", f"{column} is {wanted}")
    return value


def _unreadable(name: str, place: int, what: str, hint: str) -> PermanentError:
    return PermanentError("bad-trace", f"{name}, line {place}: {what}", hint=hint)
