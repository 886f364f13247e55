"""What was promised about the node is judged by the command that measures it."""

import pytest

from tools.bench.gate import Gate
from tools.bench.node.gates import Section, gates_of
from tools.bench.node.overhead import Run, judged
from tools.bench.node.start import Started
from tools.bench.node.start import judged as judged_starts

STEADY = [Run(100.0, 20.0, 0.3)] * 4
LONG = Run(100.0, 100.0, 1.5)


def overhead(ours: list[Run], theirs: list[Run], long: Run = LONG) -> list[Gate]:
    return gates_of("overhead", {"trainings": {"MPI": judged(ours, theirs, long)}})


def rest(**found: float) -> Section:
    return {"states": {"no pods": {"cpu_percent": 0.5, "memory_mb": 100.0, **found}}}


def test_a_training_as_fast_as_by_hand_keeps_both_promises() -> None:
    assert [gate.is_met for gate in overhead(STEADY, STEADY)] == [True, True]


def test_the_lower_end_of_the_interval_counts() -> None:
    slow = [run._replace(speed=94.0) for run in STEADY]
    assert [gate.is_met for gate in overhead(slow, STEADY)] == [False, True]


def test_the_share_of_corral_is_that_of_the_long_job() -> None:
    gates = overhead(STEADY, STEADY, LONG._replace(corral_cpu=2.1))
    assert [gate.is_met for gate in gates] == [True, False]
    assert "2.1 %, at most 2 %: MISSED" in str(gates[1])


@pytest.mark.parametrize(("line", "is_met"), [(90.0, True), (110.0, False)])
def test_a_start_may_take_five_times_a_bare_one(line: float, is_met: bool) -> None:
    states = {"made": 10.0, "bound": 20.0, "running": 60.0}
    found = judged_starts([Started(line, states)] * 3, [20.0] * 3)
    assert [gate.is_met for gate in gates_of("start", {"scripts": {"a line": found}})] == [is_met]


def test_a_crowd_must_run_whole_and_leave_nothing() -> None:
    section: Section = {"pods": 200, "processes": 2, "running": 199, "left": {"processes": 1, "folders": 0}}
    assert [gate.is_met for gate in gates_of("crowd", section)] == [False, False]
    section |= {"running": 200, "left": {"processes": 0, "folders": 0}}
    assert [gate.is_met for gate in gates_of("crowd", section)] == [True, True]


def test_rest_has_limits_for_both_processor_and_memory() -> None:
    assert [gate.is_met for gate in gates_of("rest", rest())] == [True, True]
    assert [gate.is_met for gate in gates_of("rest", rest(cpu_percent=1.2))] == [False, True]
    assert [gate.is_met for gate in gates_of("rest", rest(memory_mb=201.0))] == [True, False]


def test_parameter_servers_only_inform() -> None:
    assert gates_of("servers", {"rows": []}) == []
