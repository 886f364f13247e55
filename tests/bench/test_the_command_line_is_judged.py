"""What the measures of the command line say: medians of whole processes, and promises that are kept or not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.cli.gates import LIMITS, Section, gates_of, remarks_of
from tools.bench.cli.lines import COMPLETION, LIST, LIST_SAME_PEER, own_lines, peer_lines
from tools.bench.cli.report import lines, written
from tools.bench.cli.stopwatch import Took, figures, timed
from tools.bench.wire import Refused


def section(**medians: float) -> Section:
    """Returns what a run has found; lines that are not given are quick."""
    names = [line.name for line in own_lines(Path("corral"))]
    found = {
        name: figures([Took(medians.get(name, 50.0), 40.0)])._asdict() for name in {**dict.fromkeys(names), **medians}
    }
    known = {"date": "2027-01-15", "load_before": 0.1, "load_after": 0.2, "rounds": 1, "jobs": 1000, "pods": 200}
    return {**known, "kubectl": "v1.34.2" if LIST_SAME_PEER in medians else "", "lines": found}


def test_everything_that_was_promised_is_measured() -> None:
    assert set(LIMITS) <= {line.name for line in own_lines(Path("corral"))}


def test_a_promise_is_kept_or_missed() -> None:
    kept = {gate.name: gate.is_met for gate in gates_of(section(**{"--help": 119.0, "submit": 301.0}))}
    assert (kept["`--help`"], kept["`submit`"]) == (True, False)


def test_completion_is_asked_for_as_bash_does() -> None:
    line = next(one for one in own_lines(Path("corral")) if one.name == COMPLETION)
    command = [sys.executable, "-m", "corral", *line.words[1:]]
    done = subprocess.run(command, env={**os.environ, **line.env}, capture_output=True, text=True, timeout=60)
    assert done.stdout == "plain\tlist\n"


@pytest.mark.parametrize(("listed", "want"), [(500.0, True), (501.0, False)])
def test_a_list_is_judged_by_kubectl_of_the_same_run(listed: float, want: bool) -> None:
    assert gates_of(section(**{LIST: listed, LIST_SAME_PEER: 1000.0}))[-1].is_met is want


def test_other_servers_and_processor_time_inform_only() -> None:
    found = section(**{LIST: 400.0, LIST_SAME_PEER: 1000.0})
    slow = section(**{LIST: 900.0, LIST_SAME_PEER: 1000.0})["lines"]
    told = "0.40x, best of each 0.40x, processor time 1.00x"
    assert remarks_of(found) == [f"`list` over `kubectl get` of the same, on the embedded API: {told}"]
    assert "on etcd and kube-apiserver: 0.90x" in remarks_of({**found, "real": slow})[1]
    assert len(gates_of({**found, "real": slow})) == len(gates_of(found))
    assert any("informs only" in line for line in lines(found))


def test_without_kubectl_nothing_is_said_about_it() -> None:
    assert peer_lines(None) == []
    assert all("kubectl" not in gate.name for gate in gates_of(section()))
    assert remarks_of(section()) == []
    assert any("not measured" in line for line in lines(section()))


def test_the_figures_are_the_middle_the_best_and_the_late() -> None:
    found = figures([Took(float(number), 1.0) for number in range(1, 21)])
    assert (found.median, found.best, found.p95, found.runs) == (10.5, 1.0, 19.0, 20)


def test_a_command_line_is_timed_as_a_whole_and_a_failure_is_told() -> None:
    took = timed([sys.executable, "-S", "-c", "print('x')"], {})
    assert took.wall > 0
    with pytest.raises(Refused, match="gone wrong"):
        timed([sys.executable, "-S", "-c", "import sys; sys.exit('gone wrong')"], {})


def test_figures_are_kept_with_their_machine_and_their_table(tmp_path: Path) -> None:
    written(tmp_path / "cli.json", section(**{LIST_SAME_PEER: 1000.0}))
    kept = json.loads((tmp_path / "cli.json").read_text())
    assert kept["machine"]["processors"] >= 1
    assert kept["gates"][-1].endswith("met")
    assert "| kubectl get of all that list reads | 1000 ms |" in (tmp_path / "cli.md").read_text()
