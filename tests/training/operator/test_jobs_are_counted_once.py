"""The counters say what they are called: one for each job and change, whoever restarts in between."""

import re

from tests.training.operator.conftest import Start
from tests.training.operator_process import OperatorProcess
from tests.training.stage import Stage


def count(operator: OperatorProcess, word: str, framework: str = "tensorflow") -> int:
    name = f"training_operator_jobs_{word}_total"
    found = re.search(
        rf'^{name}{{job_namespace="default",framework="{framework}"}} (\d+)$', operator.measurements(), re.MULTILINE
    )
    return int(found[1]) if found else 0


def test_each_change_of_a_job_is_counted(start: Start, stage: Stage) -> None:
    operator = start()
    good, bad = stage.submit("TFJob", "good", {"Worker": 1}), stage.submit("TFJob", "bad", {"Worker": 1})
    for job in (good, bad):
        job.wait_pods("worker-0")
        job.set_phase("worker-0", "Running")
    good.set_phase("worker-0", "Succeeded")
    bad.set_phase("worker-0", "Failed")
    stage.wait(lambda: (count(operator, "successful"), count(operator, "failed")), lambda seen: seen == (1, 1))
    assert count(operator, "created") == 2
    assert count(operator, "deleted") == 0
    good.delete()
    stage.wait(lambda: count(operator, "deleted"), lambda seen: seen == 1)
    assert count(operator, "restarted") == 0


def test_a_restarted_operator_does_not_count_again(start: Start, stage: Stage) -> None:
    first = start()
    old = stage.submit("TFJob", "old", {"Worker": 1})
    old.wait_pods("worker-0")
    stage.wait(lambda: count(first, "created"), lambda seen: seen == 1)
    first.stop()
    second = start()
    stage.submit("TFJob", "new", {"Worker": 1}).wait_pods("worker-0")
    stage.wait(lambda: count(second, "created"), lambda seen: seen == 1)
    old.set_phase("worker-0", "Succeeded")
    stage.wait(lambda: count(second, "successful"), lambda seen: seen == 1)
    assert count(second, "created") == 1


def test_times_are_measured(start: Start, stage: Stage) -> None:
    operator = start()
    stage.submit("PyTorchJob").wait_pods("master-0", "worker-0")
    line = 'corral_operator_all_pods_seconds_count{kind="PyTorchJob"} 1'
    stage.wait(operator.measurements, lambda text: line in text)
    assert 'corral_operator_reconcile_seconds_count{kind="PyTorchJob"}' in operator.measurements()
    assert 'corral_operator_watch_age_seconds{resource="pods"}' in operator.measurements()
