"""Reports of simulations for people."""

from typing import Any

from corral.surfaces.cli.render.plain import table


def trace_summary(report: dict[str, Any]) -> str:
    """Returns the report of a replayed trace as text."""
    parts = [_head(report), _allocation(report), _failed(report)]
    if "churn" in report:
        parts.append(_churn(report["churn"]))
    parts.append(f"{report['decisions_per_second']:,.0f} decisions a second on one core")
    return "\n\n".join(parts)


def _head(report: dict[str, Any]) -> str:
    seeds = len(report["seeds"])
    return (
        f"policy {report['policy']}: {_counted(report['nodes'], 'node')} with {_counted(report['gpus'], 'GPU')},"
        f" {_counted(report['pods'], 'pod')}, "
        f"{report['inflate']:g} times all GPUs asked for, {seeds} seed{'' if seeds == 1 else 's'}"
    )


def _counted(number: float, what: str) -> str:
    return f"{number:g} {what}{'' if number == 1 else 's'}"


def _allocation(report: dict[str, Any]) -> str:
    allocation, fragmentation = report["allocation_percent"], report["fragmentation"]
    rows = [["GPUS", "PERCENT", "SD"]]
    for title, key in (
        ("allocated when 100 % had arrived", "at_100_percent_arrived"),
        ("allocated at the end", "at_end"),
    ):
        if allocation[key] is not None:
            rows.append([title, f"{allocation[key]['mean']:.2f}", f"{allocation[key]['sd']:.2f}"])
    for key, title in (
        ("packable_prefix", "bound, refusing nobody on purpose"),
        ("free_choice", "bound, choosing among pods"),
    ):
        bound = (report.get("bound_percent") or {}).get(key)
        if bound is not None:
            rows.append([title, f"{bound['mean']:.2f}", f"{bound['sd']:.2f}"])
    rows.append(["idle and of no use to typical pods", f"{fragmentation['percent_of_all_gpus']:.2f}", ""])
    for cause, percent in fragmentation["by_cause_percent_of_all_gpus"].items():
        rows.append([f"  {CAUSES[cause]}", f"{percent:.2f}", ""])
    return table(rows)


CAUSES = {
    "asks-for-no-gpu": "they ask for none",
    "model": "the model will not do",
    "cpu-and-gpu": "too few GPUs, and too little processor",
    "cpu": "too little processor beside them",
    "gpu": "too few GPUs with room on the node",
    "too-little-on-a-gpu": "too little left on the GPU",
}


def _failed(report: dict[str, Any]) -> str:
    rows = [["PODS", "ARRIVED", "DID NOT FIT"]]
    for size, counts in report["failed_pods"]["by_gpus_of_a_pod"].items():
        rows.append([_size(size), f"{counts['arrived']:.0f}", f"{counts['failed']:.0f}"])
    return table(rows)


def _churn(churn: dict[str, Any]) -> str:
    rejected, over_time = churn["rejected_gpu_percent"], churn["allocation_percent_over_time"]
    rows = [[f"COMING AND GOING AT LOAD {churn['load']:g}", "PERCENT", "SD"]]
    rows.append(["allocated over time", f"{over_time['mean']:.2f}", f"{over_time['sd']:.2f}"])
    rows.append(["asked for and rejected", f"{rejected['all']['mean']:.2f}", f"{rejected['all']['sd']:.2f}"])
    for size, percent in rejected["by_gpus_of_a_pod"].items():
        rows.append([f"  {_size(size)}", f"{percent:.2f}", ""])
    return table(rows)


def _size(size: str) -> str:
    return {"no-gpu": "without GPU", "share": "share of a GPU", "1": "1 GPU"}.get(size, f"{size} GPUs")
