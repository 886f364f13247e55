"""Nodes and what they use: Arena's summary and details, with processors and memory of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.job_table import NOTHING
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.render.terminal import Surroundings
from corral.surfaces.cli.render.usage import of_memory, of_processors

if TYPE_CHECKING:
    from corral.control.desk.top.node_lines import NodeLine, PodOnNode

_RULE = "-" * 89
_TYPES = {"none": "None", "exclusive": "GPUExclusive", "topology": "GPUTopology", "share": "GPUShare"}


def node_summary(lines: "Sequence[NodeLine]", where: Surroundings, *, with_total: bool) -> str:
    """Returns one line for each node and, for all of them, how many GPUs are given out."""
    shared = bool(lines) and all(line.mode == "share" for line in lines)
    columns = _shared_columns() if shared else _columns(lines)
    parts = [laid_out(columns, lines, where)]
    if with_total:
        parts += [_RULE, *_totals(lines)]
    return "\n".join(parts)


def _columns(lines: "Sequence[NodeLine]") -> "list[Column[NodeLine]]":
    modes = {line.mode for line in lines} - {"none"}
    return [
        *_head(),
        Column("GPU(Total)", lambda line: str(line.gpus)),
        Column("GPU(Allocated)", _allocated),
        *([Column("GPU(Mode)", _mode)] if len(modes) > 1 else []),
        *([Column("UNHEALTHY", _unhealthy)] if any(line.unhealthy for line in lines) else []),
        *_used(),
    ]


def _shared_columns() -> "list[Column[NodeLine]]":
    return [
        *_head(),
        Column("GPUs(Allocated/Total)", lambda line: f"{_allocated(line)}/{line.gpus}"),
        Column("GPU_MEMORY(Allocated/Total)", lambda line: f"{line.gpu_memory[0]}/{line.gpu_memory[1]}GiB"),
        Column("GPU_CORE(Allocated/Total)", lambda line: f"{line.gpu_core[0]}/{line.gpu_core[1]}"),
        *_used(),
    ]


def _head() -> "list[Column[NodeLine]]":
    return [
        Column("NAME", lambda line: line.name),
        Column("IPADDRESS", lambda line: line.address or NOTHING, gives_way=2),
        Column("ROLE", lambda line: line.role or "<none>", gives_way=1),
        Column("STATUS", lambda line: line.status),
    ]


def _used() -> "list[Column[NodeLine]]":
    return [
        Column("CPU(Used/Total)", lambda line: of_processors(line.usage, line.cpu), gives_way=4),
        Column("MEMORY(Used/Total)", lambda line: of_memory(line.usage, line.memory), gives_way=3),
    ]


def _allocated(line: "NodeLine") -> str:
    return NOTHING if line.gpus_allocated is None else f"{line.gpus_allocated:g}"


def _mode(line: "NodeLine") -> str:
    return line.mode


def _unhealthy(line: "NodeLine") -> str:
    return str(line.unhealthy)


def _totals(lines: "Sequence[NodeLine]") -> list[str]:
    total = sum(line.gpus for line in lines)
    given = sum(line.gpus_allocated or 0 for line in lines)
    bad = sum(line.unhealthy for line in lines)
    shown = ["Allocated/Total GPUs In Cluster:", f"{given:g}/{total} ({_percent(given, total)})"]
    return [*shown, *(["Unhealthy/Total GPUs In Cluster:", f"{bad}/{total} ({_percent(bad, total)})"] if bad else [])]


def node_details(lines: "Sequence[NodeLine]", where: Surroundings) -> str:
    """Returns each node in full: how it is, what it has, and which pods have its GPUs."""
    parts = []
    for line in lines:
        parts.append(_block(line, where))
        parts.append(_RULE)
    return "\n".join([*parts, *_totals(lines)])


def _block(line: "NodeLine", where: Surroundings) -> str:
    facts = [
        ("Name:", line.name),
        ("Status:", line.status),
        ("Role:", line.role or "<none>"),
        ("Type:", _TYPES[line.mode]),
        ("Address:", line.address or NOTHING),
        ("TotalGPUs:", str(line.gpus)),
        ("UsedGPUs:", f"{_allocated(line)}/{line.gpus}({_percent(line.gpus_allocated or 0, line.gpus)})"),
        ("UnhealthyGPUs:", f"{line.unhealthy}/{line.gpus}"),
        ("CPU:", f"{of_processors(line.usage, line.cpu)} in use"),
        ("Memory:", f"{of_memory(line.usage, line.memory)} in use"),
    ]
    if line.mode == "share":
        facts.append(("GPUMemory:", f"{line.gpu_memory[0]}/{line.gpu_memory[1]}GiB"))
    text = table([(name, where.safe(said)) for name, said in facts])
    return f"{text}\n\nInstances:\n{_instances(line, where)}" if line.pods else text


def _instances(line: "NodeLine", where: Surroundings) -> str:
    columns: list[Column[PodOnNode]] = [
        Column("NAMESPACE", lambda pod: pod.namespace),
        Column("NAME", lambda pod: pod.name),
        Column("STATUS", lambda pod: pod.status),
        Column("GPU(Requested)", lambda pod: str(pod.gpus)),
    ]
    if line.mode == "share":
        columns.append(Column("GPU_MEMORY(Requested)", lambda pod: f"{pod.gpu_memory}GiB"))
    return laid_out(columns, line.pods, where, indent="  ", underlined=True)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"
