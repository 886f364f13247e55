"""What came out, as tables for people and as one file that keeps the last figures of every measure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.bench.kept import described, machine, merged, read, write
from tools.bench.placement.gates import gates_of

Section = dict[str, Any]


def written(path: Path, name: str, section: Section) -> None:
    """Writes the figures of one measure beside those that are kept, and the tables."""
    content = merged(read(path), {name: section}, machine())
    write(path, content)
    tables = [line for key, one in content["measures"].items() for line in (*lines(key, one), "")]
    path.with_suffix(".md").write_text("\n".join(tables))


def lines(name: str, section: Section) -> Iterator[str]:
    """Yields the table of one measure."""
    yield f"**{name}**, policy {_policy(section)}, {section['date']}, load of the machine {section['load_before']} before"
    if "machine" in section:
        yield described(section["machine"])
    yield ""
    yield from _TABLES[name](section)
    yield ""
    for gate in gates_of(name, section):
        yield f"- {gate}"


def _policy(section: Section) -> str:
    return f"{section['policy']}, mix {section['mix']}" if "mix" in section else str(section["policy"])


def _filling(section: Section) -> Iterator[str]:
    yield f"| {len(section['seeds'])} seeds | allocated % | sd | published FGD | gain | at 100 % | gain | bound | gap | decisions/s |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in section["rows"]:
        yield (
            f"| {row['workload']} | {row['allocation']:.2f} | {row['sd']:.2f} | {row['published']:.2f} | {row['gain']:+.2f} "
            f"| {row['at_100']:.2f} | {row['gain_at_100']:+.2f} | {row['bound']:.2f} | {row['gap']:.2f} "
            f"| {row['decisions_per_second']:,} |"
        )
    mean = section["mean"]
    yield f"| mean | | | | {mean['gain']:+.2f} | | {mean['gain_at_100']:+.2f} | | {mean['gap']:.2f} | |"


def _churning(section: Section) -> Iterator[str]:
    sizes = list(section["rows"][0]["by_gpus_of_a_pod"])
    yield f"Rejected percent of the GPUs asked for, {section['policy']} / {section['beside']}, {len(section['seeds'])} seeds of {section['workload']}."
    yield ""
    yield f"| load | all | difference, 95 % | {' | '.join(sizes)} | difference of 8, 95 % | allocated % |"
    yield f"|---:|---:|---:|{'---:|' * len(sizes)}---:|---:|"
    for row in section["rows"]:
        rejected, by_size, allocated = row["rejected_gpu_percent"], row["by_gpus_of_a_pod"], row["allocation_percent"]
        cells = " | ".join(f"{by_size[size]['ours']:.1f} / {by_size[size]['theirs']:.1f}" for size in sizes)
        largest = by_size.get("8", {}).get("difference")
        yield (
            f"| {row['load']:g} | {rejected['ours']:.2f} / {rejected['theirs']:.2f} | {_interval(rejected['difference'])} "
            f"| {cells} | {_interval(largest) if largest else ''} | {allocated['ours']:.2f} / {allocated['theirs']:.2f} |"
        )


def _interval(found: dict[str, float]) -> str:
    return f"{found['value']:+.2f} ({found['low']:+.2f} to {found['high']:+.2f})"


def _speed(section: Section) -> Iterator[str]:
    yield "| nodes | pods of a gang | pods/s | p50 | p99 | longest | memory |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for row in section["rows"]:
        yield (
            f"| {row['nodes']:,} | {row['gang']} | {row['pods_per_second']:,} | {row['p50_ms']:.2f} ms | {row['p99_ms']:.2f} ms "
            f"| {row['longest_ms']:.2f} ms | {row['memory_mb']} MB |"
        )


_TABLES = {"filling": _filling, "churning": _churning, "speed": _speed}
