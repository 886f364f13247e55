"""What came out of queues of gangs: one file of figures, tables for people, and plots where matplotlib is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.bench.kept import described, machine, read, write
from tools.bench.placement.gangs_plots import plotted

Section = dict[str, Any]
_HOUR = 3600.0


def written(path: Path, section: Section, done: dict[tuple[str, str], Section]) -> None:
    """Writes figures, tables and plots, and prints the tables; cases that were not played now keep their last figures."""
    section = with_earlier(read(path), section, machine())
    write(path, {"gangs": section})
    tables = list(lines(section))
    path.with_suffix(".md").write_text("\n".join([*tables, ""]))
    plotted(path.parent, done)
    print("\n".join(["", *tables, ""]), flush=True)


def with_earlier(kept: Section, section: Section, on: Section) -> Section:
    """Returns the cases that were played now and those that were not, each with its own day and machine."""
    before = kept.get("gangs", {})
    around = {"date": before.get("date"), "load_before": before.get("load_before"), "machine": kept.get("machine")}
    known = {case["case"]: {**around, **case} for case in before.get("cases", ())}
    now = {"date": section["date"], "load_before": section["load_before"], "machine": on}
    known |= {case["case"]: {**now, **case} for case in section["cases"]}
    return {**section, "cases": sorted(known.values(), key=lambda one: (one["case"] == "together", one["case"]))}


def _played(section: Section) -> Iterator[str]:
    """Yields when and where the cases were played, one line for all that were played alike."""
    together: dict[str, list[str]] = {}
    for case in section["cases"]:
        where = f"{case['date']}, load of the machine {case['load_before']} before, {described(case['machine'])}"
        together.setdefault(where, []).append(case["case"])
    for where, names in together.items():
        yield f"- {', '.join(names)}: {where}"


def lines(section: Section) -> Iterator[str]:
    """Yields the tables."""
    yield (f"**Queues of gangs**, offered load {section['offered_load']:g}. Waits in hours, makespan in days.")
    yield ""
    yield from _played(section)
    yield ""
    yield "| trace | way | mean | p50 | p95 | longest | longest/p50 | 16 GPUs and more | makespan | utilisation |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for case in section["cases"]:
        for way in case["ways"].values():
            yield _way(case["case"], way)
        bound = case["bound"]
        yield (
            f"| {case['case']} | *no scheduler is below* | {bound['mean_wait'] / _HOUR:.2f} | | | | | "
            f"| {bound['makespan'] / 86400:.1f} | {100 * bound['utilisation']:.1f} % |"
        )
    yield ""
    yield "Estimates of starts, of jobs that had to wait; errors are medians."
    yield ""
    yield "| trace | way | jobs | in the 80 % band | below | above | error | position x gap | position x run time | width | wait |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for case in section["cases"]:
        for way in case["ways"].values():
            if way["estimates"]:
                yield _estimate(case["case"], way["title"], way["estimates"])
                for name, part in way["estimates"]["by_queue"].items() if case["case"] == "together" else ():
                    yield _estimate(f"{case['case']}: {name}", way["title"], part)
    yield from _pooled(section)


def _way(name: str, way: Section) -> str:
    sizes = dict(way["mean_by_size"])
    large = [wait for size, wait in sizes.items() if size >= 16]
    ratio = f"{way['longest'] / way['median']:.1f}" if way["median"] else "-"
    return (
        f"| {name} | {way['title']} | {way['mean'] / _HOUR:.2f} | {way['median'] / _HOUR:.2f} | {way['p95'] / _HOUR:.1f} "
        f"| {way['longest'] / _HOUR:.1f} | {ratio} | {f'{max(large) / _HOUR:.1f}' if large else '-'} "
        f"| {way['makespan'] / 86400:.1f} | {100 * way['utilisation']:.1f} % |"
    )


def _estimate(name: str, title: str, found: Section) -> str:
    hours = [found[key] / _HOUR for key in ("median_error", "median_error_by_gaps", "median_error_by_run_times")]
    return (
        f"| {name} | {title} | {found['jobs']} | {100 * found['coverage']:.1f} % | {100 * found['below']:.1f} % "
        f"| {100 * found['above']:.1f} % | {hours[0]:.2f} | {hours[1]:.2f} | {hours[2]:.0f} "
        f"| {found['median_width'] / _HOUR:.1f} | {found['median_wait'] / _HOUR:.1f} |"
    )


def _pooled(section: Section) -> Iterator[str]:
    for key in ("learnt", "declared"):
        alone = [
            case["ways"][key]["estimates"]
            for case in section["cases"]
            if case["case"] != "together" and case["ways"].get(key, {}).get("estimates")
        ]
        if alone:
            jobs = sum(one["jobs"] for one in alone)
            coverage = sum(one["jobs"] * one["coverage"] for one in alone) / jobs
            yield ""
            half = sum(one["jobs"] * one.get("half_coverage", 0.0) for one in alone) / jobs
            told = f"{100 * coverage:.1f} % of {jobs} jobs in the band, {100 * half:.1f} % in the half of it"
            yield f"Pooled over the traces alone, run times {key}: {told}."
