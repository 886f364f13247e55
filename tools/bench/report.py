"""The report: one table for people, one file for machines, and a plain word where ours is behind."""

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.results import Measure, Results
from tools.bench.sides import OURS, REAL


@dataclass(frozen=True)
class Circumstances:
    """What one must know to read the figures."""

    mode: str
    file_system: str
    load_before: float
    stored_bytes: dict[str, int]
    tls_ms: float
    notes: tuple[str, ...] = ()


def ratio(measure: Measure, results: Results) -> float | None:
    """Returns how many times better ours is than the real one; below 1 it is worse."""
    ours, real = results.median(measure.key, OURS), results.median(measure.key, REAL)
    if not ours or not real:
        return None
    return ours / real if measure.higher_is_better else real / ours


def verdict(measure: Measure, found: float | None) -> str:
    """Returns one word on a ratio: met, or how plainly it was not."""
    if found is None or measure.target is None:
        return ""
    if found >= measure.target:
        return "met"
    return "short of the target" if found >= 1 else "BEHIND"


def lines(measures: tuple[Measure, ...], results: Results, around: Circumstances) -> Iterator[str]:
    """Yields the report for people."""
    yield f"{'':34}{'corral':>12}{'spread':>8}{'kubernetes':>13}{'spread':>8}{'better':>9}{'target':>8}"
    for measure in measures:
        if results.median(measure.key, OURS) is None:
            continue
        found = ratio(measure, results)
        better = f"{found:.2f}x" if found else "-"
        target = f"{measure.target:g}x" if measure.target else "-"
        cells = "".join(
            f"{figure(results.median(measure.key, side), measure.unit):>{width}}{_share(results.spread(measure.key, side)):>8}"
            for side, width in ((OURS, 12), (REAL, 13))
        )
        yield f"{measure.title:34}{cells}{better:>9}{target:>8}  {verdict(measure, found)}".rstrip()
    yield ""
    yield from _remarks(measures, results, around)


def markdown(measures: tuple[Measure, ...], results: Results) -> Iterator[str]:
    """Yields the table as the page on benchmarks shows it."""
    yield "| | Corral | etcd + kube-apiserver | better | target | |"
    yield "|---|---:|---:|---:|---:|---|"
    for measure in measures:
        ours, real = (figure(results.median(measure.key, side), measure.unit) for side in (OURS, REAL))
        found = ratio(measure, results)
        target = f"{measure.target:g}x" if measure.target else ""
        better = f"{found:.1f}x" if found else ""
        yield f"| {measure.title.strip()} | {ours} | {real} | {better} | {target} | {verdict(measure, found)} |"


def _remarks(measures: tuple[Measure, ...], results: Results, around: Circumstances) -> Iterator[str]:
    sizes = ", ".join(f"{side} {size:,} bytes" for side, size in around.stored_bytes.items())
    yield f"Medians of the rounds; spread is largest less smallest round over the median. Pods as stored: {sizes}."
    yield f"State on {around.file_system}; load of the machine before: {around.load_before:.2f} on {os.cpu_count()} processors."
    yield (
        "The same client for both, HTTP/1.1. The real one speaks TLS, because it has no other door; ours plain HTTP on "
        f"loopback with a token. TLS adds {around.tls_ms:.3f} ms to an exchange of 5 KB each way here."
    )
    yield from around.notes
    missed = [(m.title.strip(), verdict(m, ratio(m, results))) for m in measures]
    behind = [title for title, word in missed if word == "BEHIND"]
    short = [title for title, word in missed if word == "short of the target"]
    if behind:
        yield f"BEHIND the real one: {'; '.join(behind)}."
    if short:
        yield f"Ahead, but short of the target: {'; '.join(short)}."


def written(path: Path, measures: tuple[Measure, ...], results: Results, around: Circumstances, more: Any) -> None:
    """Writes everything, every round included, as JSON."""
    table = [
        {
            "measure": m.key,
            "title": m.title.strip(),
            "unit": m.unit,
            "target": m.target,
            "better": ratio(m, results),
            "verdict": verdict(m, ratio(m, results)),
            "rounds": results.values.get(m.key, {}),
        }
        for m in measures
    ]
    machine = {"system": platform.platform(), "processors": os.cpu_count(), "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "circumstances": vars(around), "measures": table, "imports": more}
    path.write_text(json.dumps(content, indent=1) + "\n")


def figure(value: float | None, unit: str) -> str:
    """Returns a value with three digits that count and its unit."""
    if value is None:
        return "-"
    digits = 0 if value >= 100 or not unit else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".rstrip() if unit != "/s" else f"{value:,.{digits}f}{unit}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
