"""PyTorchJobs: environment, the wait for the master, outcomes, and elastic jobs with their autoscaler."""

import pytest

from corral.kinds.references import ApiResource
from tests.training.manifests import IMAGE, role
from tests.training.marks import case, started_with
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

AUTOSCALER = ApiResource("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
]


@case(44)
def test_a_users_port_is_the_rendezvous_port(stage: Stage) -> None:
    ports = [{"name": "pytorchjob-port", "containerPort": 8080}]
    roles = {name: role("PyTorchJob", count, ports=ports) for name, count in {"Master": 1, "Worker": 2}.items()}
    job = stage.submit("PyTorchJob", roles=roles)
    job.wait_pods("master-0", "worker-0", "worker-1")
    job.wait_services("master-0", "worker-0", "worker-1")
    for short in job.pods():
        env = job.env_of(short)
        assert env["MASTER_PORT"] == env["PET_MASTER_PORT"] == "8080"
        assert env["MASTER_ADDR"] == env["PET_MASTER_ADDR"] == "job-master-0"
        assert env["PET_NPROC_PER_NODE"] == "auto"
    assert [port["port"] for port in job.service("master-0")["spec"]["ports"]] == [8080]


@case("pytorch-environment")
def test_the_environment_with_a_master(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", "ddp", roles={"Master": 1, "Worker": 2}, nprocPerNode="4")
    job.wait_pods("master-0", "worker-0", "worker-1")
    assert [(one["name"], one["value"]) for one in job.env_list("worker-1")] == [
        ("PYTHONUNBUFFERED", "1"),
        ("MASTER_PORT", "23456"),
        ("PET_MASTER_PORT", "23456"),
        ("MASTER_ADDR", "ddp-master-0"),
        ("PET_MASTER_ADDR", "ddp-master-0"),
        ("WORLD_SIZE", "12"),
        ("RANK", "2"),
        ("PET_NODE_RANK", "2"),
        ("PET_NPROC_PER_NODE", "4"),
        ("PET_NNODES", "3"),
    ]
    assert job.env_of("master-0")["RANK"] == "0"


@case("pytorch-environment")
def test_the_environment_of_workers_alone(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    assert [(one["name"], one["value"]) for one in job.env_list("worker-2")] == [
        ("PYTHONUNBUFFERED", "1"),
        ("PET_NPROC_PER_NODE", "auto"),
        ("PET_NNODES", "3"),
    ]


@case(45)
def test_the_master_decides(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 2})
    job.wait_pods("master-0", "worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("master-0", "Succeeded")
    status = job.wait_states("Created", "Running=False", "Succeeded")
    assert status["replicaStatuses"]["Master"]["succeeded"] == 1
    assert status["completionTime"]


def test_workers_alone_do_not_make_a_job_with_a_master_run(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 1})
    job.wait_pods("master-0", "worker-0")
    job.run("worker-0")
    job.wait_counts("Worker", active=1)
    stage.settled()
    assert job.states() == ["Created=True"]


@case(46)
def test_workers_wait_for_a_master(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 1})
    job.wait_pods("master-0", "worker-0")
    waiting = job.pod("worker-0")["spec"]["initContainers"]
    assert [one["name"] for one in waiting] == ["init-pytorch"]
    assert waiting[0]["image"] == IMAGE
    assert "job-master-0" in str(waiting[0])
    assert "100" in str([waiting[0].get("command"), waiting[0].get("args"), waiting[0].get("env")])
    assert not job.pod("master-0")["spec"].get("initContainers")


@case(46)
def test_workers_alone_wait_for_nobody(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    assert not job.pod("worker-1")["spec"].get("initContainers")


@case(46)
@started_with("--pytorch-init-container-image", "example.com/wait:7", "--pytorch-init-container-max-tries", "17")
def test_image_and_tries_of_the_wait_can_be_chosen(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 1})
    job.wait_pods("master-0", "worker-0")
    waiting = job.pod("worker-0")["spec"]["initContainers"][0]
    assert waiting["image"] == "example.com/wait:7"
    assert "17" in str([waiting.get("command"), waiting.get("args"), waiting.get("env")])


ELASTIC = {
    "minReplicas": 1,
    "maxReplicas": 3,
    "maxRestarts": 100,
    "rdzvId": "j1",
    "rdzvConf": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}],
    "standalone": True,
}


@case(47, "pytorch-environment")
def test_an_elastic_policy_sets_the_rendezvous(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", "el", roles={"Worker": 2}, elasticPolicy=ELASTIC)
    job.wait_pods("worker-0", "worker-1")
    assert [(one["name"], one.get("value", "")) for one in job.env_list("worker-1")] == [
        ("PYTHONUNBUFFERED", "1"),
        ("PET_NPROC_PER_NODE", "auto"),
        ("PET_RDZV_ENDPOINT", "el-worker-0:23456"),
        ("PET_RDZV_BACKEND", "c10d"),
        ("PET_NNODES", "1:3"),
        ("PET_MAX_RESTARTS", "100"),
        ("PET_RDZV_ID", "j1"),
        ("PET_RDZV_CONF", "a=1,b=2"),
        ("PET_STANDALONE", ""),
    ]


@case(47)
def test_host_port_and_backend_of_the_rendezvous_can_be_given(stage: Stage) -> None:
    policy = {"maxReplicas": 3, "rdzvHost": "etcd.example.com", "rdzvPort": 2379, "rdzvBackend": "etcd-v2"}
    job = stage.submit("PyTorchJob", roles={"Worker": 2}, elasticPolicy=policy)
    job.wait_pods("worker-0", "worker-1")
    env = job.env_of("worker-0")
    assert env["PET_RDZV_ENDPOINT"] == "etcd.example.com:2379"
    assert env["PET_RDZV_BACKEND"] == "etcd-v2"
    assert not {"PET_RDZV_ID", "PET_RDZV_CONF", "PET_STANDALONE", "PET_MAX_RESTARTS"} & set(env)


@case("live-nnodes")
def test_an_elastic_job_with_a_master_has_both_sets(stage: Stage) -> None:
    policy = {"minReplicas": 1, "maxReplicas": 3}
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 2}, elasticPolicy=policy)
    job.wait_pods("master-0", "worker-0", "worker-1")
    found = job.env_list("worker-0")
    assert [one["value"] for one in found if one["name"] == "PET_NNODES"] == ["1:3"]
    assert {"MASTER_ADDR", "RANK", "WORLD_SIZE", "PET_RDZV_ENDPOINT"} <= {one["name"] for one in found}


@case(48, "autoscaler-goes")
@pytest.mark.parametrize("end", ["suspend", "finish"])
def test_metrics_make_an_autoscaler(stage: Stage, end: str) -> None:
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": METRICS}
    job = stage.submit("PyTorchJob", roles={"Worker": 2}, elasticPolicy=policy)
    found = stage.wait(lambda: stage.find(AUTOSCALER, "job"))
    assert found is not None
    target = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "job"}
    assert found["spec"]["scaleTargetRef"] == target
    assert (found["spec"]["minReplicas"], found["spec"]["maxReplicas"]) == (1, 4)
    assert [owner["uid"] for owner in found["metadata"]["ownerReferences"]] == [job.uid]
    job.wait_pods("worker-0", "worker-1")
    if end == "suspend":
        job.set_run_policy(suspend=True)
    else:
        job.set_phase("worker-0", "Succeeded")
        job.wait_state("Succeeded")
    stage.wait_gone(AUTOSCALER, "job")


@case(48)
def test_an_autoscaler_follows_the_policy(stage: Stage) -> None:
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": METRICS}
    job = stage.submit("PyTorchJob", roles={"Worker": 2}, elasticPolicy=policy)
    stage.wait(lambda: stage.find(AUTOSCALER, "job"))
    job.change({"elasticPolicy": {"maxReplicas": 6}})
    stage.wait(lambda: stage.get(AUTOSCALER, "job")["spec"]["maxReplicas"] == 6)


@case(49)
def test_an_elastic_job_succeeds_with_its_first_worker(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 3}, elasticPolicy={"minReplicas": 1, "maxReplicas": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-1", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


def test_workers_alone_must_all_succeed(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=1, succeeded=1)
    job.never("Succeeded")
    job.set_phase("worker-1", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


BOUNDS = {"neither": ({}, "3:3"), "least": ({"minReplicas": 2}, "2:2"), "most": ({"maxReplicas": 5}, "5:5")}


@case(50)
@pytest.mark.parametrize("given", BOUNDS)
def test_bounds_default_to_each_other(stage: Stage, given: str) -> None:
    policy, nodes = BOUNDS[given]
    job = stage.submit("PyTorchJob", roles={"Worker": 3}, elasticPolicy={"rdzvBackend": "c10d", **policy})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    assert job.env_of("worker-0")["PET_NNODES"] == nodes


@case("nproc-words")
@pytest.mark.parametrize(("given", "world"), [("auto", "2"), ("gpu", "2"), ("cpu", "2"), ("3", "6")])
def test_words_count_as_one_process(stage: Stage, given: str, world: str) -> None:
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": 1}, nprocPerNode=given)
    job.wait_pods("master-0", "worker-0")
    env = job.env_of("worker-0")
    assert (env["WORLD_SIZE"], env["PET_NPROC_PER_NODE"], env["RANK"]) == (world, given, "1")


@case("nproc-deprecated")
def test_the_old_number_of_processes_replaces_the_default(stage: Stage) -> None:
    policy = {"nProcPerNode": 2, "maxReplicas": 3, "rdzvConf": []}
    job = stage.submit("PyTorchJob", roles={"Worker": 2}, elasticPolicy=policy)
    job.wait_pods("worker-0", "worker-1")
    found = job.env_list("worker-0")
    assert [one["value"] for one in found if one["name"] == "PET_NPROC_PER_NODE"] == ["2"]
    assert "PET_RDZV_CONF" not in job.env_of("worker-0")
