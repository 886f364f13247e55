"""Three pictures with which schedulers for deep learning are introduced, and what is said about each."""

from corral.placement.asks import Gang, GpuAsk, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet import Expression, Fleet, RuleSet
from corral.placement.fleet.rules import NAME_FIELD
from corral.placement.gangs import plan
from corral.placement.potentials import policy
from corral.placement.remedies.explanation import Explanation, explain
from corral.placement.remedies.supplies import Job
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod

POLICY = policy()


def start(fleet: Fleet, gang: Gang) -> Job:
    answer = plan(fleet, gang, POLICY)
    assert isinstance(answer, Plan)
    asks = {one.uid: one.ask for one in gang.members}
    for seat in answer.seats:
        fleet.hold(seat, asks[seat.uid])
    return Job(gang.uid, gang.uid, tuple(asks))


def why(fleet: Fleet, gang: Gang, *jobs: Job) -> Explanation:
    found = explain(fleet, gang, POLICY, jobs)
    assert found is not None
    return found


def offered(found: Explanation) -> list[str]:
    return [one.sentence for one in found.remedies]


def test_job_1_of_three_pods_gets_no_gpu_while_job_2_runs() -> None:
    fleet = fleet_of(node("node-1", gpus=2), node("node-2", gpus=2))
    job_2 = start(fleet, gang_of(pod(), pod(), name="job-2"))
    job_1 = gang_of(pod(), pod(), pod(), name="job-1")

    assert isinstance(plan(fleet, job_1, POLICY), Refusal)
    found = why(fleet, job_1, job_2)

    assert found.sentence == (
        "3 pods must start together, each needs 1 GPU on one node, and 2 find room: 2 GPUs are free, 2 held by job-2"
    )
    assert "when job-2 ends or is suspended (it holds 2 GPUs)" in offered(found)
    assert "with 2 pods in place of 3" in offered(found)


def test_ten_free_gpus_on_four_nodes_do_not_fit_a_pod_of_four() -> None:
    fleet = fleet_of(*(node(f"node-{index}", gpus=4) for index in range(1, 5)))
    small = start(fleet, gang_of(*[pod()] * 6, name="small", strategy="spread"))
    big = gang_of(pod(4), name="big")

    assert sorted((fleet.columns.gpu[:4] == 1000).sum(axis=1)) == [2, 2, 3, 3]
    found = why(fleet, big, small)

    assert found.code == "scattered-gpus"
    assert found.sentence.startswith(
        "it needs 4 GPUs on one node; 10 GPUs are free on 4 nodes, at most 3 on one (node-"
    )
    assert found.sentence.endswith(": 1 held by small)")
    assert offered(found)[0].startswith("with 1 more GPU free on node-")


def test_ten_free_gpus_fit_it_when_they_are_bundled() -> None:
    fleet = fleet_of(*(node(f"node-{index}", gpus=4) for index in range(1, 5)))
    start(fleet, gang_of(*[pod()] * 6, name="small", strategy="bundle"))

    assert isinstance(plan(fleet, gang_of(pod(4)), POLICY), Plan)
    assert explain(fleet, gang_of(pod(4)), POLICY) is None


def test_job_2_must_run_on_gpu_0_of_node_1() -> None:
    fleet = fleet_of(node("node-1", gpus=2), node("node-2", gpus=2))
    fleet.hold(Seat("job-1-0", "node-1", (0,)), pod())
    here = fleet.rules(RuleSet(affinity=((Expression(NAME_FIELD, "In", ("node-1",)),),)))
    job_2 = gang_of(PodAsk(1000, 1 << 20, GpuAsk(1, devices=("0",)), rules=here), name="job-2")
    found = why(fleet, job_2, Job("job-1", "job-1", ("job-1-0",)))

    assert found.code == "device-taken"
    assert found.sentence == "it needs GPU 0 of a node, which job-1 on node-1 holds"
    assert offered(found) == [
        "with 1 more GPU free on node-1",
        "with GPU 1 in place of GPU 0",
        "without the rule metadata.name In node-1",
        "when job-1 ends or is suspended (it holds 1 GPU)",
    ]

    fleet.release("job-1-0")
    answer = plan(fleet, job_2, POLICY)
    assert isinstance(answer, Plan)
    assert answer.seats == (Seat("job-2-0", "node-1", (0,)),)
