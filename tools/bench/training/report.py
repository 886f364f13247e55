"""The report on the operators: ours, bare creates, the peer of this run or the figures that the issue names."""

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.bench.report import figure
from tools.bench.results import Results
from tools.bench.training.measures import RAW
from tools.bench.training.operators import OURS, PEER


@dataclass(frozen=True)
class Line:
    """One line; `limit` is what ours must not exceed, `known` what training-operator 1.9.4 needed with its defaults.

    `raised` is the same with its client limits lifted. Both were taken earlier, on two shared processors like these.
    """

    key: str
    title: str
    unit: str
    limit: float | None = None
    known: float | None = None
    raised: float | None = None


LINES: tuple[Line, ...] = (
    Line("large_seconds", "one job of 100 pods", "s", None, 9.8),
    Line("large_cpu", "  processor time", "s", 3 * 1.3, 1.3),
    Line("many_seconds", "100 jobs, 1,000 pods", "s", 10.2, 204.0, 10.2),
    Line("many_cpu", "  processor time", "s", 3 * 2.7, 8.4, 2.7),
    Line("many_cpu_per_thousand", "  the same per 1,000 pods", "s", 3 * 2.7, 8.4, 2.7),
    Line("rest_writes", "writes at rest", "", 0, 0),
    Line("rest_leases", "  renewed leases", ""),
    Line("rest_cpu", "  processor time", "%"),
    Line("restart_seconds", "restart to first new pod", "s", None, 2.2),
    Line("memory_idle", "memory, no jobs", "MiB"),
    Line("memory_many", "memory, 101 jobs, 1,100 pods", "MiB", None, 90.0),
    Line("crowd_seconds", "1,000 jobs, 10,000 pods", "s"),
    Line("memory_crowd", "  memory, with all before", "MiB", 400.0),
)


@dataclass(frozen=True)
class Around:
    """What one must know to read the figures."""

    load_before: float
    load_after: float
    file_system: str
    rest_seconds: float
    written_at_rest: dict[str, dict[str, int]]
    notes: tuple[str, ...] = ()


def verdict(line: Line, found: float | None) -> str:
    """Returns one word on what was promised."""
    if found is None or line.limit is None:
        return ""
    return "met" if found <= line.limit else "NOT MET"


def lines(results: Results, around: Around) -> Iterator[str]:
    """Yields the report for people."""
    has_peer = any(PEER in sides for sides in results.values.values())
    heads = ("peer",) if has_peer else ("1.9.4", "raised")
    yield (
        f"{'':32}{'corral':>12}{'bare creates':>14}{'ratio':>8}" + "".join(f"{h:>11}" for h in heads) + f"{'limit':>11}"
    )
    for line in LINES:
        ours, raw = results.median(line.key, OURS), results.median(line.key, RAW)
        if ours is None:
            continue
        ratio = f"{ours / raw:.2f}x" if raw else "-"
        others = (results.median(line.key, PEER),) if has_peer else (line.known, line.raised)
        cells = f"{figure(ours, line.unit):>12}{figure(raw, line.unit):>14}{ratio:>8}"
        cells += "".join(f"{figure(other, line.unit):>11}" for other in others) + f"{figure(line.limit, line.unit):>11}"
        yield f"{line.title:32}{cells}  {verdict(line, ours)}".rstrip()
    yield ""
    yield from _remarks(around, has_peer)


def markdown(results: Results) -> Iterator[str]:
    """Yields the table as the page on benchmarks shows it."""
    has_peer = any(PEER in sides for sides in results.values.values())
    theirs = "peer" if has_peer else "training-operator 1.9.4"
    yield f"| | Corral | bare creates | {theirs} | 1.9.4, raised limits | limit | |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for line in LINES:
        ours, raw = results.median(line.key, OURS), results.median(line.key, RAW)
        peer = results.median(line.key, PEER)
        cells = (ours, raw, peer if has_peer else line.known, line.raised, line.limit)
        shown = " | ".join("" if cell is None else figure(cell, line.unit) for cell in cells)
        yield f"| {line.title.strip()} | {shown} | {verdict(line, ours)} |"


def _remarks(around: Around, has_peer: bool) -> Iterator[str]:
    yield (
        f"Load of the machine before {around.load_before:.2f}, after {around.load_after:.2f}, on {os.cpu_count()} "
        f"processors; etcd on {around.file_system}, waiting for the disk. No kube-controller-manager, no nodes."
    )
    yield "Medians of the rounds. Processor time is the operator's own, until its last event is sent."
    yield "Bare creates: the same pods and services by the same client with the same parallelism, without any thought."
    for side, written in around.written_at_rest.items():
        told = ", ".join(f"{count} {what}" for what, count in written.items()) or "none"
        yield f"Writes by {side} in {around.rest_seconds:.0f} s at rest, leases apart: {told}."
    if not has_peer:
        yield "No peer was given (PEER=/path/to/training-operator): its columns are figures of an earlier day."
    yield from around.notes


def written(path: Path, results: Results, around: Around) -> None:
    """Writes everything as JSON."""
    machine = {"system": platform.platform(), "processors": os.cpu_count(), "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "circumstances": vars(around), "rounds": results.values}
    path.write_text(json.dumps(content, indent=1) + "\n")
