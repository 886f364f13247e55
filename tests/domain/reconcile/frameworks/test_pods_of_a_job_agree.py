"""All pods of a job are told the same world: one size, ranks without gap or double, one meeting place; on any addresses."""

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.addressing import Addressing, ClusterAddressing, Endpoint
from corral.reconcile.frameworks.catalogue import framework_of
from tests.domain.reconcile.training_builders import job

Told = dict[str, str]


class Loopback(NamedTuple):
    """Addresses as a process node gives them: one machine, a port for each service."""

    first: int

    def near(self, service: str, port: int) -> Endpoint:
        return Endpoint("127.0.0.1", self.first + sum(service.encode()) % 1000)

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        return self.near(service, port)


addresses = st.sampled_from((ClusterAddressing(), ClusterAddressing("cluster.local"), Loopback(20000)))
few = st.integers(1, 6)
one_or_none = st.integers(0, 1)


def told(of: TrainingJob, place: Place, addressing: Addressing) -> Told:
    found = framework_of(of.facts).environment(of, place, addressing)
    names = [one["name"] for one in found]
    assert len(names) == len(set(names)), "a variable is said twice"
    return {one["name"]: str(one.get("value", "")) for one in found}


def everyone(of: TrainingJob, addressing: Addressing) -> list[Told]:
    return [told(of, place, addressing) for place in of.places()]


def agree(all_told: list[Told], *names: str) -> bool:
    return all(len({one[name] for one in all_told}) == 1 for name in names)


def ranks(all_told: list[Told], name: str) -> list[int]:
    return sorted(int(one[name]) for one in all_told)


@given(workers=st.integers(0, 6), per_node=st.sampled_from(("auto", "1", "8")), addressing=addresses)
def test_pytorch(workers: int, per_node: str, addressing: Addressing) -> None:
    of = job("PyTorchJob", Master=1, Worker=workers, nprocPerNode=per_node)
    found = everyone(of, addressing)
    assert agree(found, "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PET_NNODES", "PET_NPROC_PER_NODE")
    assert ranks(found, "RANK") == ranks(found, "PET_NODE_RANK") == list(range(workers + 1))
    assert int(found[0]["WORLD_SIZE"]) == (workers + 1) * (8 if per_node == "8" else 1)


@given(workers=few, least=st.none() | few, most=st.none() | few, master=one_or_none, addressing=addresses)
def test_elastic_pytorch(
    workers: int, least: int | None, most: int | None, master: int, addressing: Addressing
) -> None:
    limits = {"minReplicas": least, "maxReplicas": most}
    policy: dict[str, Any] = {key: value for key, value in limits.items() if value is not None}
    of = job("PyTorchJob", Master=master, Worker=workers, elasticPolicy=policy)
    found = everyone(of, addressing)
    assert agree(found, "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND", "PET_NNODES", "PET_NPROC_PER_NODE")


@given(workers=st.integers(0, 6), addressing=addresses)
def test_xgboost(workers: int, addressing: Addressing) -> None:
    found = everyone(job("XGBoostJob", Master=1, Worker=workers), addressing)
    assert agree(found, "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    assert ranks(found, "RANK") == list(range(int(found[0]["WORLD_SIZE"]))) == list(range(workers + 1))
    assert workers == 0 or len(found[0]["WORKER_ADDRS"].split(",")) == workers


@given(workers=few, addressing=addresses)
def test_jax(workers: int, addressing: Addressing) -> None:
    found = everyone(job("JAXJob", Worker=workers), addressing)
    assert agree(found, "NUM_PROCESSES", "COORDINATOR_ADDRESS", "COORDINATOR_PORT")
    assert ranks(found, "PROCESS_ID") == list(range(int(found[0]["NUM_PROCESSES"]))) == list(range(workers))


@given(masters=st.integers(0, 3), workers=few, addressing=addresses)
def test_paddle(masters: int, workers: int, addressing: Addressing) -> None:
    found = everyone(job("PaddleJob", Master=masters, Worker=workers), addressing)
    assert agree(found, "PADDLE_NNODES", "PADDLE_JOB_ID")
    assert int(found[0]["PADDLE_NNODES"]) == masters + workers
    assert [one["PADDLE_MASTER"].startswith("$(") for one in found].count(True) == 1
    assert len({one["PADDLE_MASTER"].rpartition(":")[2] for one in found}) == 1


@given(chief=one_or_none, servers=st.integers(0, 3), workers=few, addressing=addresses)
def test_tensorflow(chief: int, servers: int, workers: int, addressing: Addressing) -> None:
    of = job("TFJob", Chief=chief, PS=servers, Worker=workers)
    if of.total == 1:
        return
    configs = [json.loads(one["TF_CONFIG"]) for one in everyone(of, addressing)]
    cluster = configs[0]["cluster"]
    assert all(one["cluster"] == cluster for one in configs)
    assert {role: len(hosts) for role, hosts in cluster.items()} == {"chief": chief, "ps": servers, "worker": workers}
    tasks = [(one["task"]["type"], one["task"]["index"]) for one in configs]
    assert sorted(tasks) == sorted((role, index) for role, hosts in cluster.items() for index in range(len(hosts)))


@given(servers=few, workers=few, addressing=addresses)
def test_mxnet(servers: int, workers: int, addressing: Addressing) -> None:
    found = everyone(job("MXJob", Scheduler=1, Server=servers, Worker=workers), addressing)
    assert agree(found, "DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT", "DMLC_NUM_SERVER", "DMLC_NUM_WORKER")
    assert ranks([one for one in found if one["DMLC_ROLE"] == "worker"], "DMLC_WORKER_ID") == list(range(workers))


LEADERS: dict[str, dict[str, Any]] = {
    "TFJob": {"PS": 1},
    "PyTorchJob": {"Master": 1},
    "XGBoostJob": {"Master": 1},
    "PaddleJob": {"Master": 1},
    "JAXJob": {},
    "MXJob": {"Scheduler": 1},
}


@pytest.mark.parametrize("kind", LEADERS)
def test_on_one_machine_nothing_names_the_cluster(kind: str) -> None:
    for one in everyone(job(kind, name="nowhere", Worker=2, **LEADERS[kind]), Loopback(20000)):
        assert not any("nowhere-" in value for value in one.values())


class Counted:
    """Addresses of a cluster that count how often they are asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def near(self, service: str, port: int) -> Endpoint:
        self.asked += 1
        return Endpoint(service, port)

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        self.asked += 1
        return Endpoint(f"{service}.{namespace}.svc", port)


@pytest.mark.parametrize(("kind", "roles"), [("TFJob", {"PS": 2}), ("MXJob", {"Scheduler": 1, "Server": 2})])
def test_the_map_of_a_job_is_made_once_for_all_pods(kind: str, roles: dict[str, Any]) -> None:
    of = job(kind, Worker=300, **roles)
    addressing = Counted()
    places = of.places()
    found = {place: told(of, place, addressing) for place in places}
    assert addressing.asked <= 2 * len(places)
    again = job(kind, Worker=300, **roles)
    assert found[places[-1]] == told(again, places[-1], ClusterAddressing())


def test_a_map_is_never_that_of_another_job_or_of_other_addresses() -> None:
    narrow, wide = job("TFJob", Worker=2), job("TFJob", Worker=3)
    first = Place("Worker", 0)
    plain, full = ClusterAddressing(), ClusterAddressing("cluster.local")
    seen = [told(of, first, at)["TF_CONFIG"] for of in (narrow, wide, narrow) for at in (plain, full, Loopback(20000))]
    assert seen[:3] == seen[6:]
    assert len(set(seen)) == 6
