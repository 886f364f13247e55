"""What was promised about placement on published traces, and whether it was kept. Pure."""

from typing import Any

from tools.bench.gate import Gate

Section = dict[str, Any]
"""What one measure found, as it stands in the file of results."""


def gates_of(measure: str, section: Section) -> list[Gate]:
    """Returns the promises about a measure with what was found; none for measures that only inform."""
    match measure:
        case "filling":
            return _filling(section)
        case "churning":
            return [gate for row in section["rows"] for gate in _churning(section, row)]
    return []


def _filling(section: Section) -> list[Gate]:
    rows, mean = section["rows"], section["mean"]
    least, behind = min(rows, key=lambda row: row["gain"]), min(rows, key=lambda row: row["gain_at_100"])
    return [
        Gate(f"points above the published, least of all ({least['workload']})", least["gain"], 0, is_floor=True),
        Gate("points above the published, mean", mean["gain"], 0.8, is_floor=True),
        Gate("points below the packable-prefix bound, mean", mean["gap"], 0.3),
        Gate(f"the same at 100 %, least of all ({behind['workload']})", behind["gain_at_100"], -0.1, is_floor=True),
    ]


def _churning(section: Section, row: Section) -> list[Gate]:
    """What is rejected in all is judged by the interval: it must not lie above zero as a whole."""
    load = row["load"]
    gates = [
        Gate(
            f"load {load:g}: rejected above {section['beside']}, low end",
            row["rejected_gpu_percent"]["difference"]["low"],
            0,
        )
    ]
    large = row["by_gpus_of_a_pod"].get("8")
    if large is not None and load in _LARGE:
        limit = _LARGE[load] * large["theirs"]
        gates.append(Gate(f"load {load:g}: rejected pods of 8 GPUs", large["ours"], round(limit, 2), " %"))
    return gates


_LARGE = {0.9: 1.0, 1.0: 0.5}
"""At which loads pods of 8 GPUs may be rejected at most so many times as often as by the other policy."""
