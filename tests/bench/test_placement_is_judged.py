"""What was promised about placement and scheduling is judged by the commands that measure it."""

from typing import Any

import pytest

from tools.bench.placement.gates import gates_of
from tools.bench.scheduling.report import gates as scheduling_gates
from tools.bench.scheduling.report import lines as scheduling_lines


def filling(gain: float = 1.0, gap: float = 0.1, at_100: float = 0.5) -> dict[str, Any]:
    rows = [{"workload": one, "gain": gain, "gain_at_100": at_100} for one in ("default", "cpu100")]
    return {"rows": rows, "mean": {"gain": gain, "gap": gap}}


def churning(load: float, low: float = -0.5, ours: float = 1.0, theirs: float = 2.0) -> dict[str, Any]:
    row = {
        "load": load,
        "rejected_gpu_percent": {"difference": {"value": 0.0, "low": low, "high": 1.0}},
        "by_gpus_of_a_pod": {"8": {"ours": ours, "theirs": theirs}},
    }
    return {"beside": "fgd", "rows": [row]}


def scheduled(rate: float, spent: float) -> dict[str, Any]:
    return {
        "pods_per_second": rate,
        "cpu_ms_per_pod": spent,
        "api_cpu_ms_per_pod": 2.0,
        "memory_mib": 100.0,
        "gang_spread_seconds": {"median": 0.02, "worst": 0.3},
    }


@pytest.mark.parametrize(
    ("found", "met"),
    [
        ({}, [True, True, True, True]),
        ({"gain": 0.7}, [True, False, True, True]),
        ({"gain": -0.1}, [False, False, True, True]),
        ({"gap": 0.31}, [True, True, False, True]),
        ({"at_100": -0.11}, [True, True, True, False]),
    ],
)
def test_filling_is_above_what_was_published_and_near_the_bound(found: dict[str, float], met: list[bool]) -> None:
    assert [gate.is_met for gate in gates_of("filling", filling(**found))] == met


@pytest.mark.parametrize(
    ("section", "met"),
    [
        (churning(0.8), [True]),
        (churning(1.15, low=0.1), [False]),
        (churning(0.9, ours=2.0), [True, True]),
        (churning(0.9, ours=2.1), [True, False]),
        (churning(1.0, ours=1.0), [True, True]),
        (churning(1.0, ours=1.1), [True, False]),
    ],
)
def test_churning_rejects_no_more_and_large_pods_less(section: dict[str, Any], met: list[bool]) -> None:
    assert [gate.is_met for gate in gates_of("churning", section)] == met


def test_speed_only_informs() -> None:
    assert gates_of("speed", {"rows": []}) == []


def test_scheduling_is_judged_by_the_other_scheduler_of_the_same_run() -> None:
    ours, theirs = scheduled(200, 1.0), scheduled(100, 2.0)
    kept = {"corral": {"single": ours, "gangs": ours}, "kube-scheduler": {"single": theirs}}
    assert [gate.is_met for gate in scheduling_gates(kept)] == [True] * 4
    broken = {"corral": {"single": theirs, "gangs": scheduled(80, 11.0)}, "kube-scheduler": {"single": ours}}
    assert [gate.is_met for gate in scheduling_gates(broken)] == [False] * 4
    assert not list(scheduling_gates({"kube-scheduler": {"single": ours}}))


def test_the_table_of_scheduling_names_who_was_measured() -> None:
    about = {"date": "2027-01-15", "nodes": "10x8", "pods": 50, "gangs": 5, "load_before": 0.1, "load_after": 0.2}
    shown = "\n".join(scheduling_lines({**about, "corral": {"gangs": scheduled(200, 1.0)}}))
    assert "| Corral, gangs of ten | 200 | 1.00 ms | 2.00 ms | 100 MiB | 20 ms, at worst 300 ms |" in shown
