"""Whole outputs of `corral list` and `corral get`: into a pipe, on terminals of 80 and 160 columns, with and without colour."""

import time
from typing import Any

import pytest

from corral.control.desk.jobs.events import told
from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.jobs.story import Moment, PodLine, Story
from corral.surfaces.cli.render.job_story import Asked, job_story
from corral.surfaces.cli.render.job_table import job_table
from corral.surfaces.cli.render.terminal import Surroundings

NOW = 1_800_000_000.0
PIPE = Surroundings()
NARROW, WIDE = Surroundings(80), Surroundings(160)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def line(name: str, status: str, **more: Any) -> JobLine:
    state = status.capitalize()
    made = JobLine("team", name, "PyTorchJob", state, status, "pytorchjob", 4, 4, 0, NOW - 400, NOW - 390, None, "")
    return made._replace(**{"gpus_requested": 8, "gpus_allocated": 8, "chief_address": "192.168.1.120", **more})


RUNS = line("resnet", "RUNNING", progress="12% 120/1000")
WAITS = line("bert-large", "PENDING", ready=1, gpus_allocated=2, chief_address="", started=None)
DONE = line("mnist", "SUCCEEDED", ended=NOW - 330, trainer="tfjob", gpus_requested=0, gpus_allocated=0, restarts=2)
FAILED = line("gan", "FAILED", ended=NOW - 90, failure="oom", ready=0, nodes=("gpu-1", "gpu-2"))
JOBS = [RUNS, WAITS, DONE, FAILED]

ARENA = """\
NAME        STATUS     TRAINER     DURATION  GPU(Requested)  GPU(Allocated)  NODE
resnet      RUNNING    PYTORCHJOB  6m        8               8               192.168.1.120
bert-large  PENDING    PYTORCHJOB  0s        8               2               N/A
mnist       SUCCEEDED  TFJOB       1m        0               N/A             192.168.1.120
gan         FAILED     PYTORCHJOB  5m        8               N/A             192.168.1.120"""

NARROWED = """\
NAME        STATUS     TRAINER     DURATION  GPU(Requested)  GPU(Allocated)
resnet      RUNNING    PYTORCHJOB  6m        8               8
bert-large  PENDING    PYTORCHJOB  0s        8               2
mnist       SUCCEEDED  TFJOB       1m        0               N/A
gan         FAILED     PYTORCHJOB  5m        8               N/A"""

WITH_OURS = """\
NAME        STATUS     TRAINER     DURATION  GPU(Requested)  GPU(Allocated)  NODE           PODS  PROGRESS      RESTARTS  FAILURE
resnet      RUNNING    PYTORCHJOB  6m        8               8               192.168.1.120  4/4   12% 120/1000  0         -
bert-large  PENDING    PYTORCHJOB  0s        8               2               N/A            1/4   -             0         -
mnist       SUCCEEDED  TFJOB       1m        0               N/A             192.168.1.120  4/4   -             2         -
gan         FAILED     PYTORCHJOB  5m        8               N/A             192.168.1.120  0/4   -             0         oom"""

COLOURED = """\
NAME        STATUS     TRAINER     DURATION  GPU(Requested)  GPU(Allocated)
resnet      RUNNING    PYTORCHJOB  6m        8               8
bert-large  \x1b[33mPENDING\x1b[0m    PYTORCHJOB  0s        8               2
mnist       \x1b[32mSUCCEEDED\x1b[0m  TFJOB       1m        0               N/A
gan         \x1b[31mFAILED\x1b[0m     PYTORCHJOB  5m        8               N/A"""


@pytest.mark.parametrize(
    ("where", "shown"),
    [(PIPE, ARENA), (NARROW, NARROWED), (WIDE, WITH_OURS), (NARROW._replace(is_coloured=True), COLOURED)],
)
def test_a_list_has_the_columns_of_arena_and_ours_where_there_is_room(where: Surroundings, shown: str) -> None:
    assert job_table(JOBS, NOW, where) == shown


def test_a_wide_list_of_all_namespaces_has_every_column() -> None:
    assert job_table([FAILED], NOW, PIPE, everywhere=True, wide=True) == (
        "NAMESPACE  NAME  STATUS  TRAINER     DURATION  GPU(Requested)  GPU(Allocated)  NODE           PODS  PROGRESS"
        "  RESTARTS  FAILURE  NODES\n"
        "team       gan   FAILED  PYTORCHJOB  5m        8               N/A             192.168.1.120  0/4   -       "
        "  0         oom      gpu-1,gpu-2"
    )


WHY = "oom: OOMKilled: out of memory\x1b[2J"
STORY = Story(
    FAILED._replace(progress="12% 120/1000", total=2, restarts=1, priority="high"),
    [
        Moment(NOW - 400, "Created", True, "PyTorchJob gan is created."),
        Moment(NOW - 90, "Failed", True, "PyTorchJob gan failed."),
    ],
    [
        PodLine("gan-master-0", "master-0", 0, "Completed", "gpu-1", "10.0.0.1", True, 4, 0, NOW - 380, 0, ""),
        PodLine("gan-worker-0", "worker-0", 1, "OOMKilled", "gpu-2", "10.0.0.2", False, 4, 1, NOW - 380, 137, WHY),
    ],
    [{"class": "oom", "time": "2027-01-15T07:58:30Z", "pod": "gan-worker-0", "exitCode": 137, "reason": "OOMKilled"}],
    [
        told(
            {
                "metadata": {"creationTimestamp": "2027-01-15T07:58:30Z"},
                "involvedObject": {"kind": "Pod", "name": "gan-worker-0"},
                "type": "Warning",
                "reason": "BackOff",
                "message": "restarting",
                "count": 3,
            }
        )
    ],
    {"metrics": {"loss": 0.25}, "secondsLeft": 90},
    ["/models/gan.pt"],
    "http://127.0.0.1:21034",
)

HEAD = """\
Name:        gan
Status:      FAILED
Namespace:   team
Priority:    high
Trainer:     PYTORCHJOB
Duration:    5m
CreateTime:  2027-01-15 07:53:20
EndTime:     2027-01-15 07:58:30
Pods:        0 of 2 done, 1 restart
Progress:    12% 120/1000, loss 0.25
Failure:     oom
Output:      /models/gan.pt
"""

TAIL = """
Tensorboard:
  Your tensorboard will be available on:
  http://127.0.0.1:21034

What happened:
  2027-01-15 07:53:20  +0s     Created  PyTorchJob gan is created.
  2027-01-15 07:58:30  +5m10s  Failed   PyTorchJob gan failed.

Failures:
  2027-01-15 07:58:30  gan-worker-0  oom  exit 137  OOMKilled

Events:
  2027-01-15 07:58:30  warning  gan-worker-0  restarting (3 times)"""

PODS = {
    PIPE: """
Instances:
  NAME          STATUS     AGE  IS_CHIEF  GPU(Requested)  NODE   RANK  RESTARTS  EXIT  WHY
  ----          ------     ---  --------  --------------  ----   ----  --------  ----  ---
  gan-master-0  Completed  6m   true      4               gpu-1  0     0         0     -
  gan-worker-0  OOMKilled  6m   false     4               gpu-2  1     1         137   oom: OOMKilled: out of memory\x1b[2J
""",
    NARROW: """
Instances:
  NAME          STATUS     AGE  IS_CHIEF  GPU(Requested)  NODE   RANK  RESTARTS
  ----          ------     ---  --------  --------------  ----   ----  --------
  gan-master-0  Completed  6m   true      4               gpu-1  0     0
  gan-worker-0  OOMKilled  6m   false     4               gpu-2  1     1
""",
    Surroundings(108): """
Instances:
  NAME          STATUS     AGE  IS_CHIEF  GPU(Requested)  NODE   RANK  RESTARTS  EXIT  WHY
  ----          ------     ---  --------  --------------  ----   ----  --------  ----  ---
  gan-master-0  Completed  6m   true      4               gpu-1  0     0         0     -
  gan-worker-0  OOMKilled  6m   false     4               gpu-2  1     1         137   oom: OOMKilled: ou...
""",
    Surroundings(160, is_coloured=True): """
Instances:
  NAME          STATUS     AGE  IS_CHIEF  GPU(Requested)  NODE   RANK  RESTARTS  EXIT  WHY
  ----          ------     ---  --------  --------------  ----   ----  --------  ----  ---
  gan-master-0  \x1b[32mCompleted\x1b[0m  6m   true      4               gpu-1  0     0         0     -
  gan-worker-0  \x1b[31mOOMKilled\x1b[0m  6m   false     4               gpu-2  1     1         137   oom: OOMKilled: out of memory␛[2J
""",
}


@pytest.mark.parametrize("where", PODS)
def test_a_job_is_shown_as_arena_shows_it_and_then_its_story(where: Surroundings) -> None:
    shown = job_story(STORY, NOW, where)
    head, tail = HEAD, TAIL
    if where.is_coloured:
        head = HEAD.replace("FAILED", "\x1b[31mFAILED\x1b[0m")
        tail = TAIL.replace("Failed ", "\x1b[31mFailed\x1b[0m ").replace("OOMKilled", "\x1b[31mOOMKilled\x1b[0m")
    assert shown == head + PODS[where] + tail


def test_a_failure_that_a_job_got_over_is_history() -> None:
    running = STORY._replace(line=RUNS._replace(failure="infra", progress="12% 120/1000"))
    shown = job_story(running, NOW, PIPE)
    assert "Progress:    12% 120/1000, 1m30s left, loss 0.25\nFailure:     infra, and it goes on\n" in shown
    assert "Failure:" not in job_story(STORY._replace(line=DONE._replace(failure="infra")), NOW, PIPE)
    assert "FAILURE" not in job_table([DONE._replace(failure="infra")], NOW, WIDE)


def test_events_and_gpus_are_shown_when_asked_for() -> None:
    shown = job_story(STORY, NOW, PIPE, Asked(events=True, gpus=True))
    assert (
        """
GPUs:
  INSTANCE      NODE(IP)  GPU(Requested)  GPU(IndexId)  GPU(DutyCycle)  GPU Memory(Used/Total)
  --------      --------  --------------  ------------  --------------  ----------------------
  gan-master-0  10.0.0.1  4               N/A           N/A             N/A
  gan-worker-0  10.0.0.2  4               N/A           N/A             N/A

  Allocated/Requested GPUs of Job: 8/8
"""
        in shown
    )
    assert (
        """
Events:
  SOURCE            TYPE     AGE  MESSAGE
  ------            ----     ---  -------
  pod/gan-worker-0  Warning  1m   [BackOff] restarting (3 times)
"""
        in shown
    )
