"""The process: one of several copies acts, the next takes over, a polite end is one, and idling costs nothing."""

import os
import time
from pathlib import Path

from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, NAMESPACE, SERVICE_ACCOUNT
from corral.ports.object_store import EVERYTHING
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.conftest import Bench
from tests.embedded.controllers.controllers_process import ControllersProcess

RUNNING = "controllers running"
WAITING = "waiting for the end of another copy"


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def has_account(cluster: Cluster) -> bool:
    return cluster.find(SERVICE_ACCOUNT, "default") is not None


def is_running(controllers: ControllersProcess) -> bool:
    return RUNNING in controllers.log.read_text()


def test_a_second_copy_waits_and_takes_over_when_the_first_is_killed(bench: Bench) -> None:
    cluster = bench.cluster
    with bench.controllers("first") as first, bench.controllers("second") as second:
        cluster.wait(lambda: has_account(cluster))
        leader, waiting = (first, second) if is_running(first) else (second, first)
        cluster.wait(lambda: WAITING in waiting.log.read_text())
        assert not is_running(waiting)
        leader.kill()
        cluster.wait(lambda: is_running(waiting), within=2.0)
        cluster.delete(SERVICE_ACCOUNT, "default")
        cluster.wait(lambda: has_account(cluster), within=5.0)


def test_a_copy_that_waits_ends_when_asked(bench: Bench) -> None:
    with bench.controllers("first") as first:
        bench.cluster.wait(lambda: is_running(first))
        with bench.controllers("second") as second:
            bench.cluster.wait(lambda: WAITING in second.log.read_text())
            assert second.terminate() == 0
        assert "stopping" not in first.log.read_text()


def test_a_lease_does_the_same_where_no_file_can(bench: Bench) -> None:
    cluster = bench.cluster
    first, second = bench.controllers("first", "--turn", "lease"), bench.controllers("second", "--turn", "lease")
    with first, second:
        cluster.wait(lambda: has_account(cluster))
        leader, waiting = (first, second) if is_running(first) else (second, first)
        lease = cluster.client.get(LEASE, ObjectKey("kube-system", "corral-controllers"))
        assert f"_{leader.pid}_" in lease["spec"]["holderIdentity"]
        assert leader.terminate() == 0
        cluster.wait(lambda: is_running(waiting), within=5.0)


def test_a_polite_end_is_quick_and_clean(bench: Bench) -> None:
    with bench.controllers() as controllers:
        bench.cluster.wait(lambda: has_account(bench.cluster))
        began = time.monotonic()
        assert controllers.terminate() == 0
        assert time.monotonic() - began < 2.0
        assert controllers.log.read_text().splitlines()[-1].endswith("stopping")


def test_idling_writes_nothing_and_costs_next_to_nothing(bench: Bench) -> None:
    cluster = bench.cluster
    with bench.controllers() as controllers:
        cluster.wait(lambda: has_account(cluster))
        cluster.wait(lambda: len(cluster.client.list(SERVICE_ACCOUNT, EVERYTHING)) >= 5)
        started = cpu_seconds(controllers.pid)
        assert started < 1.0
        first = cluster.client.list(NAMESPACE, EVERYTHING)
        page = next(iter(cluster.client.pages(NAMESPACE, EVERYTHING, dict)))
        before = page.revision
        time.sleep(1.0)  # the thing under test is that nothing happens meanwhile
        page = next(iter(cluster.client.pages(NAMESPACE, EVERYTHING, dict)))
        assert page.revision == before
        assert first
        assert cpu_seconds(controllers.pid) - started < 0.1


def test_a_choice_of_controllers_is_honoured_and_a_wrong_one_named(bench: Bench) -> None:
    with bench.controllers("none", "--controllers=-serviceaccount") as controllers:
        bench.cluster.wait(lambda: is_running(controllers))
        bench.cluster.stays(lambda: has_account(bench.cluster), lambda seen: not seen)
    wrong = bench.controllers("wrong", "--controllers", "nonsense")
    wrong.start()
    said = bench.cluster.wait(lambda: wrong.log.read_text())
    assert "there is no controller nonsense" in said
    assert wrong.wait() == 70
