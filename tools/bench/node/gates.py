"""What was promised, and whether it was kept. Pure."""

from typing import Any

from tools.bench.gate import Gate

Section = dict[str, Any]
"""What one measure found, as it stands in the file of results."""


def gates_of(measure: str, section: Section) -> list[Gate]:
    """Returns the promises about a measure with what was found; none for measures that only inform."""
    match measure:
        case "overhead":
            return [gate for name, found in section["trainings"].items() for gate in _overhead(name, found)]
        case "start":
            return [Gate(f"start of {name}", found["ratio"], 5.0, "x") for name, found in section["scripts"].items()]
        case "crowd":
            pods = f"{section['pods']} pods of {section['processes']} processes"
            left = sum(section["left"].values())
            return [
                Gate(f"{pods} that do not run", section["pods"] - section["running"], 0),
                Gate(f"{pods}: left after deletion", left, 0),
            ]
        case "rest":
            return [gate for name, found in section["states"].items() for gate in _rest(name, found)]
    return []


def _overhead(name: str, found: Section) -> list[Gate]:
    return [
        Gate(
            f"{name}: lower end of the throughput through Corral over that by hand", found["low"], 0.95, is_floor=True
        ),
        Gate(f"{name}: Corral's own processor time of the job's", found["corral_percent"], 2.0, " %"),
    ]


def _rest(name: str, found: Section) -> list[Gate]:
    return [
        Gate(f"at rest, {name}: processor time of one core", found["cpu_percent"], 1.0, " %"),
        Gate(f"at rest, {name}: memory", found["memory_mb"], 200.0, " MB"),
    ]
