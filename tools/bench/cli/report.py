"""What came out, as a table for people and as a file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.bench.cli.gates import Section, gates_of, remarks_of
from tools.bench.kept import described, machine


def written(path: Path, section: Section) -> None:
    """Writes the figures and the table beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine(), **section, "gates": [str(gate) for gate in gates_of(section)]}
    path.write_text(json.dumps(content, indent=1) + "\n")
    table = [described(content["machine"]), "", *lines(section), ""]
    path.with_suffix(".md").write_text("\n".join(table))


def lines(section: Section) -> Iterator[str]:
    """Yields the table, as the page on benchmarks shows it, and what was promised."""
    around = f"load of the machine {section['load_before']} before, {section['load_after']} after"
    yield f"**cli**, {section['date']}, {section['rounds']} rounds, {around}"
    yield f"{section['jobs']:,} jobs with {section['pods']:,} pods; kubectl {section['kubectl'] or 'not measured: there is none'}"
    yield ""
    yield from _table(section["lines"])
    yield ""
    if "real" in section:
        yield "The same jobs on etcd and kube-apiserver:"
        yield ""
        yield from _table(section["real"])
        yield ""
    for gate in gates_of(section):
        yield f"- {gate}"
    for remark in remarks_of(section):
        yield f"- informs only: {remark}"


def _table(found: Mapping[str, Any]) -> Iterator[str]:
    yield "| | median | best | p95 | processor time |"
    yield "|---|---:|---:|---:|---:|"
    for name, one in found.items():
        shown = name if name.startswith(("kubectl", "completion", "python")) else f"corral {name}"
        yield f"| {shown} | {one['median']:.0f} ms | {one['best']:.0f} ms | {one['p95']:.0f} ms | {one['cpu']:.0f} ms |"
