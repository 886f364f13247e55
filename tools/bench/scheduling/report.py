"""What came out of scheduling, as one file with the figures and a table for people, and whether it is what was promised."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.bench.node.report import described, machine

TITLES = {
    "corral": "Corral",
    "kube-scheduler": "kube-scheduler, raised limits",
    "kube-scheduler-defaults": "kube-scheduler, defaults",
}
_VOLCANO_PODS_PER_SECOND, _VOLCANO_CPU_MS = 30.0, 10.5
"""Of gangs of ten pods, measured on an earlier day on a machine like these; no copy of it runs here."""

Results = dict[str, Any]


class Gate(NamedTuple):
    """One promise."""

    promise: str
    found: float
    limit: float
    is_most: bool = False

    def __str__(self) -> str:
        """Returns it as a line."""
        is_met = self.found <= self.limit if self.is_most else self.found >= self.limit
        bound = "at most" if self.is_most else "at least"
        return f"{self.promise}: {self.found:.2f}, {bound} {self.limit:g}: {'met' if is_met else 'MISSED'}"


def written(path: Path, results: Results) -> None:
    """Writes the figures and the table beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine(), **results, "gates": [str(gate) for gate in gates(results)]}
    path.write_text(json.dumps(content, indent=1) + "\n")
    path.with_suffix(".md").write_text("\n".join([described(content["machine"]), "", *lines(results)]) + "\n")


def lines(results: Results) -> Iterator[str]:
    """Yields the table, and what was promised."""
    yield (
        f"**scheduling**, {results['date']}, {results['nodes']} nodes, {results['pods']} single pods, "
        f"{results['gangs']} gangs of ten, load of the machine {results['load_before']} before, {results['load_after']} after"
    )
    yield ""
    yield "| | pods/s | processor time of a pod | of the API server | memory | first to last pod of a gang |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, title in TITLES.items():
        for what, found in results.get(name, {}).items():
            yield _row(f"{title}, {'single pods' if what == 'single' else 'gangs of ten'}", found)
    yield ""
    for gate in gates(results):
        yield f"- {gate}"


def _row(title: str, found: dict[str, Any]) -> str:
    spread = found["gang_spread_seconds"]
    apart = f"{1000 * spread['median']:.0f} ms, at worst {1000 * spread['worst']:.0f} ms" if spread else ""
    return (
        f"| {title} | {found['pods_per_second']:g} | {found['cpu_ms_per_pod']:.2f} ms | {found['api_cpu_ms_per_pod']:.2f} ms "
        f"| {found['memory_mib']:.0f} MiB | {apart} |"
    )


def gates(results: Results) -> Iterator[Gate]:
    """Yields what was promised, as ratios to what was measured in the same run."""
    ours, theirs = results.get("corral", {}), results.get("kube-scheduler", {}).get("single")
    single, gangs = ours.get("single"), ours.get("gangs")
    if single and theirs:
        rate = single["pods_per_second"] / theirs["pods_per_second"]
        yield Gate("single pods a second over kube-scheduler's with raised limits", rate, 1)
        spent = single["cpu_ms_per_pod"] / theirs["cpu_ms_per_pod"]
        yield Gate("processor time of a single pod over kube-scheduler's", spent, 1, is_most=True)
    if gangs:
        yield Gate(
            "pods of gangs a second, three times what Volcano did",
            gangs["pods_per_second"],
            3 * _VOLCANO_PODS_PER_SECOND,
        )
        yield Gate(
            "processor time of a pod of a gang in ms, below Volcano's",
            gangs["cpu_ms_per_pod"],
            _VOLCANO_CPU_MS,
            is_most=True,
        )
