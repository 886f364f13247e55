"""The picture of a replayed trace: what was allocated as pods arrived, who did not fit, why GPUs are idle, who was rejected."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corral.errors import PermanentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREY = "#1d4ed8", "#c2410c", "#9ca3af"
_SIZES = {"no-gpu": "no GPU", "share": "share", "1": "1 GPU"}
_CAUSES = {
    "asks-for-no-gpu": "they ask for none",
    "model": "model",
    "cpu-and-gpu": "GPUs and processor",
    "cpu": "processor",
    "gpu": "too few GPUs",
    "too-little-on-a-gpu": "too little on a GPU",
}


def refuse_undrawable(path: Path) -> None:
    """Raises when nothing could be drawn into a file: before the work, not after it."""
    figure = figure_of(1)
    if path.suffix.removeprefix(".").lower() not in figure.canvas.get_supported_filetypes():
        raise PermanentError(
            "bad-picture", f"{path}: no picture has such an ending", hint="name a file that ends in .png"
        )
    if not path.absolute().parent.is_dir():
        raise PermanentError("bad-picture", f"{path}: there is no such folder", hint="make it first")


def draw_trace(report: Mapping[str, Any], path: Path) -> None:
    """Draws a report into a file; the form follows from the end of its name, PNG among others."""
    panels = [_allocation, _failed, causes, *([_rejected] if "churn" in report else [])]
    figure = figure_of(len(panels))
    for place, panel in enumerate(panels):
        panel(figure.add_subplot(1, len(panels), place + 1), report)
    seeds = "1 seed" if len(report["seeds"]) == 1 else f"{len(report['seeds'])} seeds"
    figure.suptitle(f"{report['policy']}: {report['nodes']} nodes, {report['gpus']:g} GPUs, {seeds}", fontsize=11)
    saved(figure, path)


def saved(figure: "Figure", path: Path) -> None:
    """Writes a figure into a file."""
    try:
        figure.savefig(path, dpi=120, metadata={"Software": None} if path.suffix.lower() == ".png" else None)
    except OSError as error:
        raise PermanentError(
            "bad-picture", f"{path}: {error.strerror}", hint="name a file that can be written"
        ) from error


def figure_of(panels: int) -> "Figure":
    """Returns an empty figure for so many panels; matplotlib is not there: PermanentError."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        hint = "install it with Corral's extra: pip install 'corral[plots]'"
        raise PermanentError(
            "no-plots", "pictures are drawn by matplotlib, which is not installed", hint=hint
        ) from error
    return Figure(figsize=(4.6 * panels, 3.8), layout="constrained")


def _allocation(axes: "Axes", report: Mapping[str, Any]) -> None:
    curve = report["allocation_percent"]["by_percent_arrived"]
    axes.plot(range(len(curve)), range(len(curve)), color=_GREY, linewidth=1, linestyle=":")
    axes.plot(range(len(curve)), curve, color=_BLUE)
    bound = report.get("bound_percent")
    if bound:
        axes.axhline(bound["mean"], color=_ORANGE, linewidth=1)
        axes.annotate(f"bound {bound['mean']:.2f}", (0, bound["mean"]), color=_ORANGE, fontsize=8, va="bottom")
    axes.set(xlabel="percent of all GPUs asked for", ylabel="percent allocated", ylim=(0, 105))
    axes.set_title(f"allocated: {report['allocation_percent']['mean']:.2f} %", fontsize=10)


def _failed(axes: "Axes", report: Mapping[str, Any]) -> None:
    counts = report["failed_pods"]["by_gpus_of_a_pod"]
    shares = {size: 100 * one["failed"] / one["arrived"] if one["arrived"] else 0.0 for size, one in counts.items()}
    bars(axes, {_size(size): share for size, share in shares.items()}, "percent of pods")
    axes.set_title("did not fit, by size", fontsize=10)


def causes(axes: "Axes", report: Mapping[str, Any]) -> None:
    """Draws why GPUs are idle and of no use to typical pods."""
    by_cause = report["fragmentation"]["by_cause_percent_of_all_gpus"]
    bars(axes, {_CAUSES[cause]: percent for cause, percent in by_cause.items()}, "percent of all GPUs")
    axes.set_title("idle and of no use to typical pods", fontsize=10)


def _rejected(axes: "Axes", report: Mapping[str, Any]) -> None:
    churn = report["churn"]
    bars(
        axes,
        {_size(size): percent for size, percent in churn["rejected_gpu_percent"]["by_gpus_of_a_pod"].items()},
        "percent of GPUs asked for",
    )
    axes.set_title(f"rejected while pods come and go, load {churn['load']:g}", fontsize=10)


def bars(axes: "Axes", values: Mapping[str, float], unit: str) -> None:
    """Draws named values as bars with their numbers."""
    bars = axes.barh(list(values), list(values.values()), color=_BLUE)
    axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.set_xlabel(unit)


def _size(size: str) -> str:
    return _SIZES.get(size, f"{size} GPUs")
