"""The picture of a cluster as it is or would be: what is allocated, why GPUs are idle, who waits for what, and for how long."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corral.adapters.pictures.traces import bars, causes, figure_of, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MINUTE = 60.0


def draw_snapshot(report: Mapping[str, Any], path: Path) -> None:
    """Draws a report into a file; the form follows from the end of its name, PNG among others."""
    waits = {
        size: told for size, told in report["wait_seconds_by_gpus"].items() if isinstance(told, dict) and "mean" in told
    }
    panels = [_allocation, causes]
    panels += [_codes] if report["waiting_by_code"] else []
    panels += [_waits] if waits else []
    figure = figure_of(len(panels))
    for place, panel in enumerate(panels):
        panel(figure.add_subplot(1, len(panels), place + 1), report)
    changes = ", ".join(report["changes"]) or "as it is"
    figure.suptitle(f"{report['policy']}: {report['nodes']} nodes, {report['gpus']:g} GPUs, {changes}", fontsize=11)
    saved(figure, path)


def _allocation(axes: "Axes", report: Mapping[str, Any]) -> None:
    allocation = report["allocation_percent"]
    shown = {"before": allocation["before"], "now": allocation["now"], "bound": report["bound_percent"]}
    bars(axes, shown, "percent of all GPUs")
    axes.set_title(f"allocated: {allocation['now']:.2f} %", fontsize=10)


def _codes(axes: "Axes", report: Mapping[str, Any]) -> None:
    bars(axes, report["waiting_by_code"], "gangs")
    axes.set_title("wait, by what is in their way", fontsize=10)


def _waits(axes: "Axes", report: Mapping[str, Any]) -> None:
    told = {size: one for size, one in report["wait_seconds_by_gpus"].items() if "mean" in one}
    bars(axes, {f"{size} GPUs": one["mean"] / _MINUTE for size, one in told.items()}, "minutes")
    axes.set_title("mean wait from now on, by GPUs of a gang", fontsize=10)
