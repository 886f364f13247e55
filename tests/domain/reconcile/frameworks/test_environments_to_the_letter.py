"""What each pod is told, byte for byte: sections 3.2 to 3.4 of the contract, with its own examples."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.addressing import ClusterAddressing
from corral.reconcile.frameworks.catalogue import framework_of
from tests.domain.reconcile.training_builders import job, template


def told(of: TrainingJob, role: str, index: int, domain: str = "") -> list[str]:
    """Returns the variables of a pod as `NAME=value`, in order."""
    found = framework_of(of.facts).environment(of, Place(role, index), ClusterAddressing(domain))
    return [f"{one['name']}={one.get('value', one.get('valueFrom'))}" for one in found]


def with_port(container: str, name: str, number: int) -> Object:
    ports = [{"name": name, "containerPort": number}]
    return {"replicas": 1, "template": template(container, ports=ports)}


MNIST: dict[str, Any] = {"Chief": 1, "PS": 2, "Worker": 2, "Evaluator": 1}
MNIST_CLUSTER = (
    '{"cluster":{"chief":["mnist-chief-0.ml.svc:2222"],"evaluator":["mnist-evaluator-0.ml.svc:2222"],'
    '"ps":["mnist-ps-0.ml.svc:2222","mnist-ps-1.ml.svc:2222"],'
    '"worker":["mnist-worker-0.ml.svc:2222","mnist-worker-1.ml.svc:2222"]},'
)


@pytest.mark.parametrize(("role", "index"), [("Worker", 1), ("Chief", 0), ("PS", 1), ("Evaluator", 0)])
def test_tensorflow_gets_the_whole_cluster_and_its_own_task(role: str, index: int) -> None:
    task = f'"task":{{"type":"{role.lower()}","index":{index}}},"environment":"cloud"}}'
    assert told(job("TFJob", name="mnist", **MNIST), role, index) == [f"TF_CONFIG={MNIST_CLUSTER}{task}"]


def test_a_custom_cluster_domain_follows_svc() -> None:
    [config] = told(job("TFJob", name="t", PS=1, Worker=1, Evaluator=1), "PS", 0, domain="corp.local")
    assert config == (
        'TF_CONFIG={"cluster":{"evaluator":["t-evaluator-0.ml.svc.corp.local:2222"],'
        '"ps":["t-ps-0.ml.svc.corp.local:2222"],"worker":["t-worker-0.ml.svc.corp.local:2222"]},'
        '"task":{"type":"ps","index":0},"environment":"cloud"}'
    )


def test_a_master_of_tensorflow_stays_a_master() -> None:
    [config] = told(job("TFJob", name="t", Master=1, Worker=1), "Master", 0)
    assert config.startswith('TF_CONFIG={"cluster":{"master":["t-master-0.ml.svc:2222"],"worker":[')
    assert '"task":{"type":"master","index":0}' in config


def test_each_role_of_tensorflow_listens_on_its_own_port() -> None:
    of = job("TFJob", name="t", PS=with_port("tensorflow", "tfjob-port", 5000), Worker=1)
    [config] = told(of, "Worker", 0)
    assert '"ps":["t-ps-0.ml.svc:5000"],"worker":["t-worker-0.ml.svc:2222"]' in config


def test_a_single_process_needs_no_tf_config() -> None:
    assert told(job("TFJob", Worker=1), "Worker", 0) == []


SPARSE: dict[str, tuple[dict[str, Any], str, int, str]] = {
    "a worker knows itself and the servers": (
        {"PS": 2, "Worker": 2},
        "Worker",
        1,
        '{"cluster":{"worker":{"1":"mnist-worker-1.ml.svc:2222"},"ps":["mnist-ps-0.ml.svc:2222",'
        '"mnist-ps-1.ml.svc:2222"]},"task":{"type":"worker","index":1}}',
    ),
    "a server knows itself": (
        {"PS": 2, "Worker": 2},
        "PS",
        0,
        '{"cluster":{"worker":{},"ps":["mnist-ps-0.ml.svc:2222"]},"task":{"type":"ps","index":0}}',
    ),
    "any other role knows nobody": (
        {"PS": 2, "Worker": 2, "Chief": 1},
        "Chief",
        0,
        '{"cluster":{"worker":{},"ps":[]},"task":{"type":"chief","index":0}}',
    ),
    "a worker without servers has null": (
        {"Worker": 2},
        "Worker",
        0,
        '{"cluster":{"worker":{"0":"mnist-worker-0.ml.svc:2222"},"ps":null},"task":{"type":"worker","index":0}}',
    ),
}


@pytest.mark.parametrize("case", SPARSE)
def test_dynamic_workers_get_a_sparse_config(case: str) -> None:
    roles, role, index, want = SPARSE[case]
    of = job("TFJob", name="mnist", enableDynamicWorker=True, **roles)
    assert told(of, role, index) == [f"TF_CONFIG={want}"]


def test_pytorch_with_a_master() -> None:
    of = job("PyTorchJob", name="ddp", Master=1, Worker=2, nprocPerNode="4")
    assert told(of, "Worker", 1) == [
        "PYTHONUNBUFFERED=1",
        "MASTER_PORT=23456",
        "PET_MASTER_PORT=23456",
        "MASTER_ADDR=ddp-master-0",
        "PET_MASTER_ADDR=ddp-master-0",
        "WORLD_SIZE=12",
        "RANK=2",
        "PET_NODE_RANK=2",
        "PET_NPROC_PER_NODE=4",
        "PET_NNODES=3",
    ]


@pytest.mark.parametrize("word", ["auto", "gpu", "cpu"])
def test_a_word_for_the_number_of_processes_counts_as_one(word: str) -> None:
    found = told(job("PyTorchJob", Master=1, Worker=2, nprocPerNode=word), "Master", 0)
    assert {"WORLD_SIZE=3", "RANK=0", f"PET_NPROC_PER_NODE={word}"} <= set(found)


def test_the_port_of_the_master_is_the_rendezvous_port() -> None:
    master = with_port("pytorch", "pytorchjob-port", 8080)
    found = told(job("PyTorchJob", name="ddp", Master=master, Worker=2), "Worker", 0)
    assert {"MASTER_PORT=8080", "PET_MASTER_PORT=8080", "MASTER_ADDR=ddp-master-0"} <= set(found)
    assert "PET_NPROC_PER_NODE=auto" in found


def test_pytorch_workers_alone_know_only_how_many_they_are() -> None:
    assert told(job("PyTorchJob", Worker=3), "Worker", 2) == [
        "PYTHONUNBUFFERED=1",
        "PET_NPROC_PER_NODE=auto",
        "PET_NNODES=3",
    ]


def test_elastic_pytorch_with_everything() -> None:
    policy = {
        "minReplicas": 1,
        "maxReplicas": 3,
        "maxRestarts": 100,
        "rdzvId": "j1",
        "rdzvConf": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}],
        "standalone": True,
    }
    assert told(job("PyTorchJob", name="el", Worker=2, elasticPolicy=policy), "Worker", 0) == [
        "PYTHONUNBUFFERED=1",
        "PET_NPROC_PER_NODE=auto",
        "PET_RDZV_ENDPOINT=el-worker-0:23456",
        "PET_RDZV_BACKEND=c10d",
        "PET_NNODES=1:3",
        "PET_MAX_RESTARTS=100",
        "PET_RDZV_ID=j1",
        "PET_RDZV_CONF=a=1,b=2",
        "PET_STANDALONE=",
    ]


def test_an_elastic_policy_may_name_its_own_meeting_place() -> None:
    policy = {"rdzvBackend": "etcd", "rdzvHost": "etcd.infra", "rdzvPort": 2379, "standalone": False, "rdzvConf": []}
    assert told(job("PyTorchJob", Worker=2, elasticPolicy=policy), "Worker", 1)[2:] == [
        "PET_RDZV_ENDPOINT=etcd.infra:2379",
        "PET_RDZV_BACKEND=etcd",
        "PET_NNODES=2:2",
    ]


def test_the_deprecated_number_of_processes_stands_in_its_own_place() -> None:
    of = job("PyTorchJob", name="el", Worker=2, elasticPolicy={"nProcPerNode": 8, "rdzvId": "x", "rdzvPort": 5})
    assert told(of, "Worker", 0) == [
        "PYTHONUNBUFFERED=1",
        "PET_RDZV_ENDPOINT=el-worker-0:5",
        "PET_RDZV_BACKEND=c10d",
        "PET_NNODES=2:2",
        "PET_NPROC_PER_NODE=8",
        "PET_RDZV_ID=x",
    ]


def test_an_elastic_job_with_a_master_has_both_sets_but_one_number_of_nodes() -> None:
    of = job("PyTorchJob", name="el", Master=1, Worker=2, elasticPolicy={"minReplicas": 1, "maxReplicas": 3})
    found = told(of, "Worker", 0)
    assert {"MASTER_ADDR=el-master-0", "RANK=1", "WORLD_SIZE=3", "PET_RDZV_ENDPOINT=el-worker-0:23456"} <= set(found)
    assert [one for one in found if one.startswith("PET_NNODES")] == ["PET_NNODES=1:3"]


RANGES = {
    "neither is given": ({}, "4:4"),
    "only the least": ({"minReplicas": 2}, "2:2"),
    "only the most": ({"maxReplicas": 6}, "6:6"),
    "both": ({"minReplicas": 2, "maxReplicas": 6}, "2:6"),
}


@pytest.mark.parametrize("case", RANGES)
def test_the_elastic_range_has_defaults(case: str) -> None:
    policy, want = RANGES[case]
    assert f"PET_NNODES={want}" in told(job("PyTorchJob", Worker=4, elasticPolicy=policy), "Worker", 0)


def test_xgboost_and_lightgbm() -> None:
    assert told(job("XGBoostJob", name="xgb", Master=1, Worker=2), "Worker", 1) == [
        "MASTER_PORT=9999",
        "MASTER_ADDR=xgb-master-0",
        "WORLD_SIZE=3",
        "RANK=2",
        "PYTHONUNBUFFERED=1",
        "WORKER_PORT=9999",
        "WORKER_ADDRS=xgb-worker-0,xgb-worker-1",
    ]


def test_xgboost_alone_has_no_workers_to_name() -> None:
    assert told(job("XGBoostJob", name="xgb", Master=1), "Master", 0) == [
        "MASTER_PORT=9999",
        "MASTER_ADDR=xgb-master-0",
        "WORLD_SIZE=1",
        "RANK=0",
        "PYTHONUNBUFFERED=1",
    ]


PADDLE_ALWAYS = ["PYTHONUNBUFFERED=1", "PADDLE_JOB_ID=pd"]
OWN = "POD_IP_DUMMY={'fieldRef': {'fieldPath': 'status.podIP'}}"


def test_collective_paddle_meets_at_the_first_worker() -> None:
    of = job("PaddleJob", name="pd", Worker=2)
    first = [*PADDLE_ALWAYS, "PADDLE_NNODES=2", OWN, "PADDLE_MASTER=$(POD_IP_DUMMY):36543"]
    assert told(of, "Worker", 0) == first
    assert told(of, "Worker", 1) == [*PADDLE_ALWAYS, "PADDLE_NNODES=2", "PADDLE_MASTER=pd-worker-0:36543"]


def test_paddle_with_servers_meets_at_the_first_master() -> None:
    of = job("PaddleJob", name="pd", Master=2, Worker=1)
    always = [*PADDLE_ALWAYS, "PADDLE_NNODES=3"]
    own = [OWN, "PADDLE_MASTER=$(POD_IP_DUMMY):36543"]
    assert told(of, "Master", 0) == [*always, *own, "PADDLE_SERVER_NUM=1"]
    assert told(of, "Master", 1) == [*always, "PADDLE_MASTER=pd-master-0:36543", "PADDLE_SERVER_NUM=1"]
    assert told(of, "Worker", 0) == [*always, "PADDLE_MASTER=pd-master-0:36543", "PADDLE_TRAINER_NUM=1"]


def test_jax() -> None:
    assert told(job("JAXJob", name="jx", Worker=3), "Worker", 1) == [
        "PYTHONUNBUFFERED=1",
        "COORDINATOR_PORT=6666",
        "COORDINATOR_ADDRESS=jx-worker-0",
        "NUM_PROCESSES=3",
        "PROCESS_ID=1",
    ]


def test_mxnet() -> None:
    server = {
        "replicas": 1,
        "template": {**template("mxnet"), "metadata": {"annotations": {"tuner-server-key": "1080ti"}}},
    }
    assert told(job("MXJob", name="mx", Scheduler=1, Server=server, Worker=2), "Worker", 1) == [
        'MX_CONFIG={"cluster":{"scheduler":[{"url":"mx-scheduler-0","port":9091}],'
        '"server":[{"url":"mx-server-0","port":9091}],'
        '"worker":[{"url":"mx-worker-0","port":9091},{"url":"mx-worker-1","port":9091}]},'
        '"labels":{"scheduler":"","server":"1080ti","worker":""},"task":{"type":"worker","index":1}}',
        "DMLC_PS_ROOT_PORT=9091",
        "DMLC_PS_ROOT_URI=mx-scheduler-0",
        "DMLC_NUM_SERVER=1",
        "DMLC_NUM_WORKER=2",
        "DMLC_ROLE=worker",
        "DMLC_USE_KUBERNETES=1",
        "DMLC_WORKER_ID=1",
    ]


def test_mxnet_without_a_scheduler_has_no_meeting_place() -> None:
    found = told(job("MXJob", name="mx", Server=1, Worker=1), "Server", 0)
    assert found[1:3] == ["DMLC_PS_ROOT_PORT=0", "DMLC_PS_ROOT_URI="]
    assert not any(one.startswith("DMLC_WORKER_ID") for one in found)


def test_only_tensorflow_keeps_its_environment_to_its_own_container() -> None:
    kinds = {"TFJob": "named", "PyTorchJob": "every", "XGBoostJob": "every", "PaddleJob": "every", "JAXJob": "every"}
    assert {kind: framework_of(job(kind, Worker=1).facts).reaches for kind in kinds} == kinds
