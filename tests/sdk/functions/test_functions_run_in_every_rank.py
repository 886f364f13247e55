"""Functions and scripts for real: processes of this machine, started by both clients."""

import sys
from pathlib import Path
from typing import Any

import pytest

from corral.sdk import JobFailedError, PermanentError
from tests.sdk.functions.cells import cell
from tests.sdk.functions.lab import training


def test_a_function_is_called_in_every_rank_and_its_result_comes_back(client: Any) -> None:
    job = client.run(training.train, ("3",), {"factor": 2}, workers=2, framework="pytorch")
    assert job.name.startswith("train-")
    assert job.result(timeout=60) == {"width": 24, "rank": "0"}
    assert "[master-0] rank 0" in map(str, job.logs())
    assert not [line for line in job.logs() if "corral-result" in line.text]
    assert client.get(job.name).result() == {"width": 24, "rank": "0"}


def test_a_function_of_a_notebook_needs_no_file(client: Any) -> None:
    text = "import math\n\nHALF = 0.5\n\ndef area(r, unit='m'):\n    return [math.pi * r ** 2 * HALF, unit]\n"
    job = client.submit(cell("def hello():\n    return 'hello'\n")["hello"])
    assert job.result(timeout=60) == "hello"
    assert client.run(cell(text)["area"], [2], {"unit": "cm"}, name=f"{job.name}-area").result(timeout=60) == [
        pytest.approx(6.2832, abs=1e-3),
        "cm",
    ]


def test_a_function_that_fails_is_told_and_has_no_result(client: Any) -> None:
    job = client.run(training.fail)
    with pytest.raises(JobFailedError, match="has not succeeded"):
        job.result(timeout=60)
    assert any("RuntimeError: no luck" in line.text for line in job.logs())
    assert "failed" in job.why().sentence


def test_a_result_that_json_cannot_tell_is_told(client: Any) -> None:
    job = client.run(training.opaque)
    with pytest.raises(PermanentError, match="cannot be told: object: Object of type object is not JSON"):
        job.result(timeout=60)
    assert job.refresh().has_succeeded


def test_a_script_is_run_with_the_python_that_runs_this(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "show.py").write_text("import os, sys\nprint(sys.prefix, os.environ['A'], sys.argv[1:])\n")
    job = client.run_script("show.py", ["--x", "$(A)"], env={"A": "b"}).wait(timeout=60)
    assert [line.text for line in job.logs()] == [f"{sys.prefix} b ['--x', '$(A)']"]
    with pytest.raises(PermanentError, match="has told no result"):
        job.result()
    with pytest.raises(TypeError, match="unexpected options: worker"):
        client.run_script("show.py", worker=2)
