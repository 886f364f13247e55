"""Every example trains for real on the embedded API, reaches the accuracy that it states, and outlives a killed worker."""

import pytest

from tests.examples.catalogue import Example, examples
from tests.examples.event_files import has_curve
from tests.examples.trial import RESUMED, Trial

# The first run of a framework installs it, and torch alone is some gigabytes.
pytestmark = pytest.mark.timeout(3600)


@pytest.mark.parametrize("example", examples(), ids=str)
def test_an_example_reaches_its_accuracy_and_leaves_a_model(example: Example, trial: Trial) -> None:
    trial.wait_for_success()
    trial.check_results()
    assert has_curve(trial.output / "events", "accuracy")
    assert RESUMED.search(trial.log()) is None


@pytest.mark.parametrize("example", [one for one in examples() if one.victim], ids=str)
def test_a_killed_worker_does_not_cost_what_was_learned(example: Example, trial: Trial) -> None:
    trial.wait_for_checkpoint()
    trial.kill_program(example.victim)
    trial.wait_for_success()
    trial.check_results()
    resumed = RESUMED.findall(trial.log())
    assert resumed, trial.log()[-6000:]
    assert all(int(step) > 0 for step in resumed)
