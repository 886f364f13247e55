"""An elastic PyTorch job trains on while a worker joins it and while another is killed, and loses nothing it has learned."""

import re

import pytest

from tests.examples.catalogue import Example, examples
from tests.examples.trial import RESUMED, Trial
from tests.node.ground import wait_until

pytestmark = pytest.mark.timeout(3600)

MEETING = re.compile(r"\bprocess 0 of (\d+)")
VICTIM = "torch-elastic-worker-1"


@pytest.mark.parametrize("example", [one for one in examples() if "elastic" in one.folder.name], ids=str)
def test_workers_join_and_die_while_the_others_train(example: Example, trial: Trial) -> None:
    trial.wait_for_checkpoint()
    trial.stage.change(trial.resource, "torch-elastic", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 3}}}})
    wait_until(lambda: "3" in MEETING.findall(trial.whole_log()), "three workers meet", within=example.patience)
    before = len(MEETING.findall(trial.whole_log()))
    trial.kill_program(VICTIM)
    wait_until(
        lambda: len(MEETING.findall(trial.whole_log())) > before, "those who are left meet", within=example.patience
    )
    trial.wait_for_success()
    trial.check_results()
    resumed = [int(step) for step in RESUMED.findall(trial.whole_log())]
    assert len(resumed) >= 2
    assert min(resumed) > 0
