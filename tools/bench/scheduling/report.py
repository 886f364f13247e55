"""What came out of scheduling, as one file with the figures and a table for people, and whether it is what was promised."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.bench.gate import Gate
from tools.bench.kept import described, machine

TITLES = {
    "corral": "Corral",
    "kube-scheduler": "kube-scheduler, raised limits",
    "kube-scheduler-defaults": "kube-scheduler, defaults",
}
_VOLCANO_PODS_PER_SECOND, _VOLCANO_CPU_MS = 30.0, 10.5
"""Of gangs of ten pods, measured on an earlier day on a machine like these; no copy of it runs here."""

Results = dict[str, Any]


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
    """Yields what was promised, next to what was measured in the same run."""
    ours, theirs = results.get("corral", {}), results.get("kube-scheduler", {}).get("single")
    single, gangs = ours.get("single"), ours.get("gangs")
    if single and theirs:
        slower = theirs["pods_per_second"] / single["pods_per_second"]
        yield Gate("single pods: time of one over that of kube-scheduler with raised limits", slower, 1, "x")
        spent = single["cpu_ms_per_pod"] / theirs["cpu_ms_per_pod"]
        yield Gate("single pods: processor time of one over that of kube-scheduler", spent, 1, "x")
    if gangs:
        rate, spent = gangs["pods_per_second"], gangs["cpu_ms_per_pod"]
        yield Gate("gangs: three times Volcano's pods a second", rate, 3 * _VOLCANO_PODS_PER_SECOND, is_floor=True)
        yield Gate("gangs: processor time of a pod, no more than Volcano's", spent, _VOLCANO_CPU_MS, " ms")
