"""Reports about clusters, as they are or would be, for people."""

from typing import Any

from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.render.simulated import CAUSES

_MOST = 20


def what_if_summary(report: dict[str, Any]) -> str:
    """Returns the report about a snapshot as text."""
    parts = [_head(report), _allocation(report)]
    if report["starts_now"]:
        parts.append(_starts(report["starts_now"]))
    if report["gives_way"]:
        rows = [["GIVES WAY", "WHY", "FOR"], *([one["job"], one["why"], one["for"]] for one in report["gives_way"])]
        parts.append(table(rows))
    if report["waiting"]:
        parts += [_waiting(report["waiting"]), _waits(report["wait_seconds_by_gpus"])]
    else:
        parts.append("nobody waits")
    if report["unreadable_queues"]:
        parts.append(f"left out, since they cannot be read: queues {', '.join(report['unreadable_queues'])}")
    return "\n\n".join(parts)


def _head(report: dict[str, Any]) -> str:
    changes = "".join(f"\n  {one}" for one in report["changes"]) or " as it is"
    counts = f"{report['nodes']} nodes with {report['gpus']:g} GPUs, {report['pods']} pods"
    return f"policy {report['policy']}: {counts},{changes}"


def _allocation(report: dict[str, Any]) -> str:
    allocation, fragmentation = report["allocation_percent"], report["fragmentation"]
    rows = [
        ["GPUS", "PERCENT"],
        ["allocated before", f"{allocation['before']:.2f}"],
        ["allocated when all had their turn", f"{allocation['now']:.2f}"],
        ["bound, placing everything anew", f"{report['bound_percent']:.2f}"],
        ["gap to it", f"{report['gap_points']:.2f}"],
        ["idle and of no use to typical pods", f"{fragmentation['percent_of_all_gpus']:.2f}"],
    ]
    for cause, percent in fragmentation["by_cause_percent_of_all_gpus"].items():
        rows.append([f"  {CAUSES[cause]}", f"{percent:.2f}"])
    return table(rows)


def _starts(starts: list[dict[str, Any]]) -> str:
    rows = [["STARTS NOW", "PODS", "NODES"]]
    for one in starts[:_MOST]:
        nodes = list(dict.fromkeys(seat["node"] for seat in one["pods"]))
        more = f" and {len(nodes) - 4} more" if len(nodes) > 4 else ""
        rows.append([one["job"], str(len(one["pods"])), ", ".join(nodes[:4]) + more])
    return table(rows) + _rest(starts)


def _waiting(waiting: list[dict[str, Any]]) -> str:
    rows = [["WAITS", "QUEUE", "PLACE", "GPUS", "STARTS IN", "WHY"]]
    for one in waiting[:_MOST]:
        start = one.get("starts_in_seconds")
        place = str(one["place"]) if one["place"] is not None else "-"
        rows.append([one["job"], one["queue"] or "-", place, f"{one['gpus']:g}", _start(start), one["code"]])
    return table(rows) + _rest(waiting)


def _rest(rows: list[dict[str, Any]]) -> str:
    return f"\nand {len(rows) - _MOST} more" if len(rows) > _MOST else ""


def _start(told: dict[str, Any] | None) -> str:
    if told is None:
        return "-"
    if "median" not in told:
        return "never"
    low, high = told["eight_of_ten"]
    return f"{_span(told['median'])} ({_span(low)} to {_span(high)})" if high - low >= 1 else _span(told["median"])


def _waits(waits: dict[str, Any]) -> str:
    if "unknown" in waits:
        return f"for how long nobody can tell: {waits['unknown']}"
    rows = [["GPUS OF A GANG", "MEAN WAIT", "P95", "NEVER"]]
    for size, told in waits.items():
        mean, p95 = (_span(told["mean"]), _span(told["p95"])) if "mean" in told else ("-", "-")
        rows.append([size, mean, p95, f"{told['never_percent']:.0f} %"])
    return table(rows)


def _span(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
