"""Which pods and services a TFJob gets, what they are told, and how their number follows the spec."""

import json

from corral.kinds.well_known import POD
from tests.training.ground import Ground
from tests.training.manifests import role, roles_of
from tests.training.marks import case, started_with
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@case(1)
def test_a_single_worker_is_a_local_job(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 1})
    job.wait_pods("worker-0")
    job.wait_services("worker-0")
    assert "TF_CONFIG" not in job.env_of("worker-0")


@case(2)
def test_each_replica_gets_a_pod_and_a_headless_service(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 4, "PS": 2})
    names = [*(f"worker-{i}" for i in range(4)), "ps-0", "ps-1"]
    job.wait_pods(*names)
    job.wait_services(*names)
    for name in names:
        role_name, _, index = name.partition("-")
        labels = {
            "training.kubeflow.org/operator-name": "tfjob-controller",
            "training.kubeflow.org/job-name": "job",
            "training.kubeflow.org/replica-type": role_name,
            "training.kubeflow.org/replica-index": index,
        }
        master = {"training.kubeflow.org/job-role": "master"} if name == "worker-0" else {}
        assert job.pod(name)["metadata"]["labels"] == labels | master
        assert job.service(name)["metadata"]["labels"] == labels
        assert job.service(name)["spec"]["clusterIP"] == "None"


def config_of(namespace: str, task: str, index: int, domain: str = "") -> str:
    """Returns TF_CONFIG as the contract writes it, for one replica of each of three roles."""
    hosts = ",".join(
        f'"{name}":["job-{name}-0.{namespace}.svc{domain}:2222"]' for name in ("evaluator", "ps", "worker")
    )
    return f'{{"cluster":{{{hosts}}},"task":{{"type":"{task}","index":{index}}},"environment":"cloud"}}'


@case(3)
def test_tf_config_is_as_the_contract_writes_it(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"PS": 1, "Worker": 1, "Evaluator": 1})
    job.wait_pods("evaluator-0", "ps-0", "worker-0")
    for task in ("ps", "worker", "evaluator"):
        assert job.env_of(f"{task}-0")["TF_CONFIG"] == config_of(stage.namespace, task, 0)


@case(3)
@started_with(CUSTOM_CLUSTER_DOMAIN="cluster.test")
def test_tf_config_names_the_operators_cluster_domain(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"PS": 1, "Worker": 1, "Evaluator": 1})
    job.wait_pods("evaluator-0", "ps-0", "worker-0")
    assert job.env_of("worker-0")["TF_CONFIG"] == config_of(stage.namespace, "worker", 0, ".cluster.test")


@case(3)
def test_tf_config_keeps_the_key_of_a_master(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Master": 1, "Worker": 2})
    job.wait_pods("master-0", "worker-0", "worker-1")
    config = json.loads(job.env_of("worker-1")["TF_CONFIG"])
    assert list(config["cluster"]) == ["master", "worker"]
    assert config["task"] == {"type": "worker", "index": 1}


@case(4)
def test_dynamic_workers_get_a_sparse_tf_config(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"PS": 2, "Worker": 2, "Chief": 1}, enableDynamicWorker=True)
    job.wait_pods("chief-0", "ps-0", "ps-1", "worker-0", "worker-1")
    near = f"{stage.namespace}.svc:2222"
    servers = f'"ps":["job-ps-0.{near}","job-ps-1.{near}"]'
    assert job.env_of("worker-1")["TF_CONFIG"] == (
        f'{{"cluster":{{"worker":{{"1":"job-worker-1.{near}"}},{servers}}},"task":{{"type":"worker","index":1}}}}'
    )
    assert job.env_of("ps-0")["TF_CONFIG"] == (
        f'{{"cluster":{{"worker":{{}},"ps":["job-ps-0.{near}"]}},"task":{{"type":"ps","index":0}}}}'
    )
    assert job.env_of("chief-0")["TF_CONFIG"] == ('{"cluster":{"worker":{},"ps":[]},"task":{"type":"chief","index":0}}')


@case(4)
def test_a_dynamic_worker_without_servers_has_none(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 2}, enableDynamicWorker=True)
    job.wait_pods("worker-0", "worker-1")
    assert json.loads(job.env_of("worker-0")["TF_CONFIG"])["cluster"]["ps"] is None


@case(5)
def test_only_missing_pods_are_made(stage: Stage, ground: Ground) -> None:
    ground.stop_operator()
    job = stage.submit("TFJob", roles={"Worker": 4})
    owner = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    for index in (0, 2):
        labels = {
            "training.kubeflow.org/operator-name": "tfjob-controller",
            "training.kubeflow.org/job-name": job.name,
            "training.kubeflow.org/replica-type": "worker",
            "training.kubeflow.org/replica-index": str(index),
        }
        pod = role("TFJob")["template"]["spec"]
        stage.make(POD, f"job-worker-{index}", spec=pod, metadata={"labels": labels, "ownerReferences": [owner]})
    before = {index: job.uid_of(f"worker-{index}") for index in (0, 2)}
    ground.operator()
    job.wait_pods("worker-0", "worker-1", "worker-2", "worker-3")
    stage.settled()
    assert {index: job.uid_of(f"worker-{index}") for index in (0, 2)} == before
    assert job.messages("SuccessfulCreatePod") == {"Created pod: job-worker-1", "Created pod: job-worker-3"}


@case(18)
def test_fewer_workers_lose_the_highest_index(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.scale("Worker", 2)
    job.wait_pods("worker-0", "worker-1")
    job.wait_services("worker-0", "worker-1")


@case(19, "scaling-keeps-others")
def test_more_workers_are_made_and_the_others_stay(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    before = [job.uid_of("worker-0"), job.uid_of("worker-1")]
    job.scale("Worker", 3)
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.wait_services("worker-0", "worker-1", "worker-2")
    assert [job.uid_of("worker-0"), job.uid_of("worker-1")] == before
    assert len(json.loads(job.env_of("worker-2")["TF_CONFIG"])["cluster"]["worker"]) == 3
    assert len(json.loads(job.env_of("worker-0")["TF_CONFIG"])["cluster"]["worker"]) == 2


@case(20)
def test_roles_may_be_written_in_lower_case(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"worker": role("TFJob", 1), "ps": role("TFJob", 1)})
    job.wait_pods("ps-0", "worker-0")
    job.run()
    job.wait_states("Created", "Running")
    job.wait_counts("Worker", active=1)
    assert sorted(job.status()["replicaStatuses"]) == ["PS", "Worker"]
    assert sorted(job.read()["spec"]["tfReplicaSpecs"]) == ["ps", "worker"]


@case("template-edits")
def test_a_changed_template_affects_new_pods_only(stage: Stage) -> None:
    job = stage.submit("TFJob", roles=roles_of("TFJob", Worker=1))
    job.wait_pods("worker-0")
    before = job.uid_of("worker-0")
    changed = role("TFJob", 2)
    changed["template"]["spec"]["containers"][0]["image"] = "example.com/train:2"
    job.change({"tfReplicaSpecs": {"Worker": changed}})
    job.wait_pods("worker-0", "worker-1")
    assert job.uid_of("worker-0") == before
    images = [job.pod(f"worker-{index}")["spec"]["containers"][0]["image"] for index in (0, 1)]
    assert images == ["example.com/train:1", "example.com/train:2"]
