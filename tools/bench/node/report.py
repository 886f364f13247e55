"""What came out, as tables for people and as one file that keeps the last figures of every measure."""

from collections.abc import Iterator
from pathlib import Path

from tools.bench.kept import described, machine, merged, read, write
from tools.bench.node.gates import Section, gates_of
from tools.bench.node.plot import plotted

PLOT = "parameter-servers.svg"


def judged(found: dict[str, Section]) -> dict[str, Section]:
    """Returns measures with what became of the promises about them."""
    return {name: {**one, "gates": [str(gate) for gate in gates_of(name, one)]} for name, one in found.items()}


def written(path: Path, found: dict[str, Section]) -> None:
    """Writes the figures, the tables and, when there is something to show, the plot."""
    content = merged(read(path), judged(found), machine())
    write(path, content)
    measures = content["measures"]
    tables = [line for name in _TABLES if name in measures for line in (*lines(name, measures[name]), "")]
    path.with_suffix(".md").write_text("\n".join(tables))
    servers = measures.get("servers")
    if servers:
        caption = f"{servers['date']}, {described(servers['machine'])}, load {servers['load_before']}"
        (path.parent / PLOT).write_text(plotted(servers["rows"], caption))


def lines(name: str, section: Section) -> Iterator[str]:
    """Yields the table of one measure, as the page on benchmarks shows it."""
    around = f"load of the machine {section['load_before']} before, {section['load_after']} after"
    yield f"**{name}**, {section['date']}, {around}"
    if "machine" in section:
        yield described(section["machine"])
    yield ""
    yield from _TABLES[name](section)


def _overhead(section: Section) -> Iterator[str]:
    yield "| | Corral | by hand | ratio | 95 % | Corral's processor time, long job | short job |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, one in section["trainings"].items():
        yield (
            f"| {name}, {section['pairs']} pairs | {one['corral_median']:,.0f}/s | {one['by_hand_median']:,.0f}/s "
            f"| {one['ratio']:.3f} | {one['low']:.3f} to {one['high']:.3f} "
            f"| {one['corral_percent']:.2f} % of {one['cpu_seconds_of_long_job']['job']:.0f} s "
            f"| {one['cpu_seconds_of_short_jobs']['corral']:.2f} s |"
        )


def _start(section: Section) -> Iterator[str]:
    yield "| | Corral | p95 | bare | p95 | ratio | pod made | bound | running |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, one in section["scripts"].items():
        ours, bare, to = one["corral_ms"], one["bare_ms"], one["median_ms_to"]
        yield (
            f"| {name}, {section['pairs']} pairs | {ours['median']:.0f} ms | {ours['p95']:.0f} ms | {bare['median']:.0f} ms "
            f"| {bare['p95']:.0f} ms | {one['ratio']:.1f}x | {to['made']:.0f} ms | {to['bound']:.0f} ms "
            f"| {to['running']:.0f} ms |"
        )


def _crowd(section: Section) -> Iterator[str]:
    yield "| | time | processor time | memory |"
    yield "|---|---:|---:|---:|"
    pods = f"{section['pods']} pods of {section['processes']} processes"
    yield f"| nothing yet | | | {section['memory_mb_without']:.0f} MB |"
    yield (
        f"| {pods}, all running | {section['seconds_to_run']:.1f} s | {section['cpu_seconds_to_run']:.1f} s "
        f"| {section['memory_mb_with']:.0f} MB |"
    )
    left = ", ".join(f"{count} {what}" for what, count in section["left"].items())
    yield f"| deleted; left: {left} | {section['seconds_to_delete']:.1f} s | {section['cpu_seconds_to_delete']:.1f} s | |"


def _rest(section: Section) -> Iterator[str]:
    parts = list(next(iter(section["states"].values()))["memory_mb_of_parts"])
    yield f"| {section['seconds']:g} s at rest | processor time | memory | {' | '.join(parts)} |"
    yield f"|---|---:|---:|{'---:|' * len(parts)}"
    for name, one in section["states"].items():
        cells = " | ".join(
            f"{one['cpu_percent_of_parts'][part]:.2f} %, {one['memory_mb_of_parts'][part]:.0f} MB" for part in parts
        )
        yield f"| {name} | {one['cpu_percent']:.2f} % | {one['memory_mb']:.0f} MB | {cells} |"


def _servers(section: Section) -> Iterator[str]:
    yield f"| {section['steps']} batches | workers | samples/s | accuracy |"
    yield "|---|---:|---:|---:|"
    for row in section["rows"]:
        speed = row["samples_per_second"]
        yield f"| {row['mode']} | {row['workers']} | {speed:,.0f} | {row['accuracy']:.3f} |"


_TABLES = {"rest": _rest, "start": _start, "crowd": _crowd, "overhead": _overhead, "servers": _servers}
