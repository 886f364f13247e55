"""Two operators on one server: one acts, the other waits and takes over; neither doubles anything."""

from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, POD
from tests.training.operator.conftest import Start
from tests.training.operator_process import OperatorProcess
from tests.training.stage import Stage

LEASE_KEY = ObjectKey("kube-system", "corral-operator")


def leads(operator: OperatorProcess) -> bool:
    return "corral_operator_is_leader 1\n" in operator.measurements()


def test_the_second_waits_and_takes_over_when_the_first_ends(start: Start, stage: Stage) -> None:
    first = start("--leader-elect")
    stage.wait(lambda: leads(first))
    second = start("--leader-elect")
    assert second.answer("/readyz")[0] == 200
    assert f"lease {LEASE_KEY}: waiting" in second.answer("/readyz")[1]
    assert not leads(second)
    stage.submit("TFJob", "one").wait_pods("worker-0", "worker-1")
    first.stop()
    stage.wait(lambda: leads(second))
    stage.submit("TFJob", "two").wait_pods("worker-0", "worker-1")
    assert len(stage.all(POD)) == 4
    lease = stage.client.get(LEASE, LEASE_KEY)
    assert lease["spec"]["leaseTransitions"] == 2


def test_operators_of_two_namespaces_do_not_wait_for_each_other(start: Start, stage: Stage) -> None:
    first, second = (start("--leader-elect", "--namespace", name) for name in ("default", "kube-public"))
    stage.wait(lambda: leads(first) and leads(second))
