"""What was promised about the command line, and whether it was kept. Pure."""

from typing import Any

from tools.bench.cli.lines import COMPLETION, COMPLETION_JOBS, LIST, LIST_SAME_PEER, SUBMIT
from tools.bench.gate import Gate

Section = dict[str, Any]
"""What was found, as it stands in the file of results."""

LIMITS = {"--help": 120.0, "--version": 120.0, COMPLETION: 100.0, COMPLETION_JOBS: 100.0, SUBMIT: 300.0}
"""The most that the median may be, in milliseconds."""
LIST_RATIO = 0.5


def gates_of(section: Section) -> list[Gate]:
    """Returns the promises with what was found; that about kubectl only where there was one."""
    lines = section["lines"]
    gates = [Gate(f"`{name}`", lines[name]["median"], limit, " ms") for name, limit in LIMITS.items()]
    if LIST_SAME_PEER in lines:
        ratio = lines[LIST]["median"] / lines[LIST_SAME_PEER]["median"]
        gates.append(Gate(f"`list` of {section['jobs']} jobs over `kubectl get` of the same", ratio, LIST_RATIO, "x"))
    return gates


def remarks_of(section: Section) -> list[str]:
    """Returns what informs about the promise on lists without being promised: processor time, and another server."""
    if LIST_SAME_PEER not in section["lines"]:
        return []
    servers = {"on the embedded API": section["lines"], "on etcd and kube-apiserver": section.get("real")}
    return [
        f"`list` over `kubectl get` of the same, {where}: {_ratio(found, 'median'):.2f}x, best of each "
        f"{_ratio(found, 'best'):.2f}x, processor time {_ratio(found, 'cpu'):.2f}x"
        for where, found in servers.items()
        if found
    ]


def _ratio(found: dict[str, Any], figure: str) -> float:
    return float(found[LIST][figure] / found[LIST_SAME_PEER][figure])
