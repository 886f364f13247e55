"""Plots of queues of gangs: how long jobs wait, and how estimates compare with what came."""

from pathlib import Path
from typing import Any

from tools.bench.placement.plotting import figure

TITLES = {
    "fifo": "one after the other",
    "greedy": "backfill without reservation",
    "learnt": "Corral, run times learnt",
    "declared": "Corral, run times declared",
}


def plotted(folder: Path, done: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Writes a plot of waits and one of estimates for each case."""
    for case in sorted({case for case, _ in done}):
        ways = {way: found for (name, way), found in done.items() if name == case}
        _waits(folder / f"gangs-{case}-waits.png", case, ways)
        for way, found in ways.items():
            if found["guesses"]:
                _guesses(folder / f"gangs-{case}-starts-{way}.png", f"{case}, {TITLES[way]}", found["guesses"])


def _waits(path: Path, case: str, ways: dict[str, dict[str, Any]]) -> None:
    with figure(path) as axes:
        for way, found in ways.items():
            waits = [max(wait, 1) / 3600 for wait in found["waits"]]
            axes.plot(waits, [(index + 1) / len(waits) for index in range(len(waits))], label=TITLES[way])
        axes.set_xscale("log")
        axes.set_xlabel("hours waited")
        axes.set_ylabel("part of all jobs")
        axes.set_title(f"Waits on {case}")
        axes.legend()


def _guesses(path: Path, title: str, guesses: list[tuple[float, float, float, float]]) -> None:
    with figure(path) as axes:
        order = sorted(guesses, key=lambda one: one[3])
        places = range(len(order))
        low, expected, high, waited = ([max(one[index], 36) / 3600 for one in order] for index in range(4))
        axes.fill_between(places, low, [min(one, 1e5) for one in high], alpha=0.25, label="80 % band")
        axes.plot(places, expected, ".", markersize=1.5, label="expected")
        axes.plot(places, waited, label="waited")
        axes.set_yscale("log")
        axes.set_xlabel("jobs that waited, the shortest wait first")
        axes.set_ylabel("hours")
        axes.set_title(f"Estimates of starts: {title}")
        axes.legend()
