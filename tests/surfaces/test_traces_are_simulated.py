"""`corral simulate trace`: one object for programs, a page for people, one line and a hint for what is wrong."""

import json
from pathlib import Path

import pytest

from tests.domain.placement.replay.small_trace import NODES, PODS
from tests.surfaces.conftest import Cli


@pytest.fixture
def trace(tmp_path: Path) -> tuple[str, str, str, str]:
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "pods.csv").write_text(PODS)
    return "--nodes", str(tmp_path / "nodes.csv"), "--pods", str(tmp_path / "pods.csv")


def test_the_report_is_one_object(cli: Cli, trace: tuple[str, ...]) -> None:
    done = cli("simulate", "trace", *trace, "--seeds", "1-3", "--policy", "fgd", "--churn", "0.9", "-o", "json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["policy"], report["seeds"], report["gpus"]) == ("fgd", [1, 2, 3], 16)
    allocation = report["allocation_percent"]
    assert len(allocation["per_seed"]) == 3
    assert allocation["mean"] == allocation["at_end"]["mean"] >= allocation["at_100_percent_arrived"]["mean"] > 50
    assert set(report["failed_pods"]["by_gpus_of_a_pod"]) == {"no-gpu", "share", "1", "2"}
    assert set(report["rejected_gpu_percent"]["by_gpus_of_a_pod"]) == {"share", "1", "2"}
    assert set(report["fragmentation"]["by_cause_percent_of_all_gpus"]) >= {"cpu", "gpu", "model"}
    assert report["decisions_per_second"] > 0
    bound = report["bound_percent"]
    assert allocation["mean"] <= bound["mean"] <= bound["free_choice"]["mean"] <= 100


def test_people_get_a_page(cli: Cli, trace: tuple[str, ...]) -> None:
    done = cli("simulate", "trace", *trace, "--seeds", "7")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "policy default: 4 nodes with 16 GPUs, 5 pods, 1.3 times all GPUs asked for, 1 seed"
    assert any(line.startswith("allocated at the end") for line in lines)
    assert any(line.startswith("share of a GPU") for line in lines)


def test_bounds_can_be_left_out(cli: Cli, trace: tuple[str, ...]) -> None:
    done = cli("simulate", "trace", *trace, "--seeds", "7", "--no-bound", "-o", "json")
    assert "bound_percent" not in json.loads(done.stdout)


def test_the_report_is_drawn(cli: Cli, trace: tuple[str, ...], tmp_path: Path) -> None:
    picture = tmp_path / "trace.png"
    done = cli("simulate", "trace", *trace, "--seeds", "7", "--churn", "0.9", "--plot", str(picture))
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_same_seeds_give_the_same_report(cli: Cli, trace: tuple[str, ...]) -> None:
    reports = [json.loads(cli("simulate", "trace", *trace, "--seeds", "1,2", "-o", "json").stdout) for _ in range(2)]
    for report in reports:
        del report["decisions_per_second"]
    assert reports[0] == reports[1]


WRONG = {
    ("--policy", "best"): "error: there is no policy best\nhint: one of bestfit, default, fgd, random\n",
    ("--seeds", "5-1"): "'5-1' are no seeds from low to high",
    ("--seeds", "x"): "'x' is no list of seeds; write 42-51 or 1,2,7",
    ("--inflate", "0"): "0.0 is not in the range",
    ("--plot", "no/trace.png"): "error: no/trace.png: there is no such folder\nhint: make it first\n",
    ("--plot", "trace.txt"): "error: trace.txt: no picture has such an ending\nhint: name a file that ends in .png\n",
    ("--pods", "missing.csv"): "error: missing.csv: No such file or directory\nhint: give the path of a CSV file\n",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_said_in_a_line_with_a_hint(cli: Cli, trace: tuple[str, ...], words: tuple[str, str]) -> None:
    done = cli("simulate", "trace", *trace, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG[words] in done.stderr


def test_a_trace_without_gpus_is_refused(cli: Cli, trace: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pods.csv").write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,0,0\n")
    done = cli("simulate", "trace", *trace)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tmp_path}/pods.csv: no pod asks for a GPU\nhint: ")
