"""What came out as pictures: bars of filling beside what was published and the bound, curves of churning over the load."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

mpl.use("Agg")

_OURS, _THEIRS, _BOUND = "#1d4ed8", "#c2410c", "#6b7280"


def drawn(folder: Path, name: str, section: dict[str, Any]) -> Path | None:
    """Draws one measure into a folder; None for measures without a picture."""
    make = _PICTURES.get(name)
    if make is None:
        return None
    path = folder / f"placement-{name}.png"
    # Without the version of the library in it, equal figures make equal files.
    make(section).savefig(path, dpi=110, metadata={"Software": None})
    return path


def _filling(section: dict[str, Any]) -> Figure:
    rows = section["rows"]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots()
    at = np.arange(len(rows))
    axes.bar(at - 0.2, [row["published"] for row in rows], 0.4, color=_THEIRS, label="FGD, as published")
    axes.bar(
        at + 0.2,
        [row["allocation"] for row in rows],
        0.4,
        yerr=[row["sd"] for row in rows],
        color=_OURS,
        label="Corral",
    )
    axes.hlines(
        [row["bound"] for row in rows],
        at - 0.45,
        at + 0.45,
        color=_BOUND,
        linestyle="--",
        label="packable-prefix bound",
    )
    axes.set_xticks(at, [row["workload"] for row in rows])
    axes.set_ylim(min(row["published"] for row in rows) - 2, 98.5)
    axes.set_ylabel("GPUs allocated, %")
    axes.set_title(f"Filled until {section['inflate']:g} times all GPUs were asked for, {len(section['seeds'])} seeds")
    axes.legend(loc="lower left", framealpha=1)
    return figure


def _churning(section: dict[str, Any]) -> Figure:
    rows = section["rows"]
    loads = [row["load"] for row in rows]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _curves(left, loads, [row["rejected_gpu_percent"] for row in rows], section)
    left.set_title("all GPUs asked for")
    left.set_ylabel("rejected, %")
    _curves(right, loads, [row["by_gpus_of_a_pod"]["8"] for row in rows], section)
    right.set_title("pods of 8 GPUs")
    left.legend()
    figure.suptitle(f"Pods come and go, {len(section['seeds'])} seeds of {section['workload']}")
    return figure


def _curves(axes: Axes, loads: list[float], found: list[dict[str, Any]], section: dict[str, Any]) -> None:
    ours, theirs = [one["ours"] for one in found], [one["theirs"] for one in found]
    spread = [[ours[i] - theirs[i] - one["difference"]["low"] for i, one in enumerate(found)]]
    spread.append([one["difference"]["high"] - (ours[i] - theirs[i]) for i, one in enumerate(found)])
    axes.plot(loads, theirs, "o-", color=_THEIRS, label=section["beside"])
    axes.errorbar(loads, ours, np.maximum(spread, 0), fmt="o-", color=_OURS, capsize=3, label=section["policy"])
    axes.set_xlabel("load (bars: 95 % of the paired difference)")
    axes.set_ylim(bottom=0)
    axes.grid(color="#d1d5db")


_PICTURES = {"filling": _filling, "churning": _churning}
