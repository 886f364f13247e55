"""What the pods of XGBoost, Paddle, JAX and MXNet jobs are told, as the contract lists it."""

import json

from tests.training.job_on_stage import JobOnStage
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def plain(job: JobOnStage, short: str) -> list[tuple[str, str]]:
    """Returns names and values in order."""
    return [(one["name"], one.get("value", "")) for one in job.env_list(short)]


@case("xgboost-environment")
def test_xgboost(stage: Stage) -> None:
    job = stage.submit("XGBoostJob", "xgb", roles={"Master": 1, "Worker": 2})
    job.wait_pods("master-0", "worker-0", "worker-1")
    assert plain(job, "worker-1") == [
        ("MASTER_PORT", "9999"),
        ("MASTER_ADDR", "xgb-master-0"),
        ("WORLD_SIZE", "3"),
        ("RANK", "2"),
        ("PYTHONUNBUFFERED", "1"),
        ("WORKER_PORT", "9999"),
        ("WORKER_ADDRS", "xgb-worker-0,xgb-worker-1"),
    ]


@case("xgboost-environment")
def test_xgboost_alone(stage: Stage) -> None:
    job = stage.submit("XGBoostJob", "xgb", roles={"Master": 1})
    job.wait_pods("master-0")
    assert not {"WORKER_PORT", "WORKER_ADDRS"} & set(job.env_of("master-0"))


@case(53)
def test_jax(stage: Stage) -> None:
    job = stage.submit("JAXJob", "jx", roles={"Worker": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    for index in range(3):
        assert plain(job, f"worker-{index}") == [
            ("PYTHONUNBUFFERED", "1"),
            ("COORDINATOR_PORT", "6666"),
            ("COORDINATOR_ADDRESS", "jx-worker-0"),
            ("NUM_PROCESSES", "3"),
            ("PROCESS_ID", str(index)),
        ]


OWN_ADDRESS = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}


@case(53)
def test_paddle_of_workers(stage: Stage) -> None:
    job = stage.submit("PaddleJob", "pd", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    for short in ("worker-0", "worker-1"):
        env = job.env_of(short)
        assert (env["PYTHONUNBUFFERED"], env["PADDLE_JOB_ID"], env["PADDLE_NNODES"]) == ("1", "pd", "2")
    first = {one["name"]: one for one in job.env_list("worker-0")}
    assert first["POD_IP_DUMMY"]["valueFrom"] == OWN_ADDRESS
    assert first["PADDLE_MASTER"]["value"] == "$(POD_IP_DUMMY):36543"
    assert list(first).index("POD_IP_DUMMY") < list(first).index("PADDLE_MASTER")
    assert job.env_of("worker-1")["PADDLE_MASTER"] == "pd-worker-0:36543"
    assert not {"PADDLE_SERVER_NUM", "PADDLE_TRAINER_NUM"} & set(first)


@case(53)
def test_paddle_with_a_master(stage: Stage) -> None:
    job = stage.submit("PaddleJob", "pd", roles={"Master": 2, "Worker": 1})
    job.wait_pods("master-0", "master-1", "worker-0")
    master, other, worker = (job.env_of(short) for short in ("master-0", "master-1", "worker-0"))
    assert {env["PADDLE_NNODES"] for env in (master, other, worker)} == {"3"}
    assert master["PADDLE_MASTER"] == "$(POD_IP_DUMMY):36543"
    assert other["PADDLE_MASTER"] == worker["PADDLE_MASTER"] == "pd-master-0:36543"
    assert (master["PADDLE_SERVER_NUM"], worker["PADDLE_TRAINER_NUM"]) == ("1", "1")
    assert "PADDLE_TRAINER_NUM" not in master
    assert "PADDLE_SERVER_NUM" not in worker


@case("mxnet-environment")
def test_mxnet(stage: Stage) -> None:
    job = stage.submit("MXJob", "mx", roles={"Scheduler": 1, "Server": 2, "Worker": 2})
    job.wait_pods("scheduler-0", "server-0", "server-1", "worker-0", "worker-1")
    env = job.env_of("worker-1")
    config = json.loads(env["MX_CONFIG"])
    assert config["cluster"]["server"] == [{"url": f"mx-server-{index}", "port": 9091} for index in range(2)]
    assert config["task"] == {"type": "worker", "index": 1}
    assert {name: value for name, value in env.items() if name.startswith("DMLC")} == {
        "DMLC_PS_ROOT_PORT": "9091",
        "DMLC_PS_ROOT_URI": "mx-scheduler-0",
        "DMLC_NUM_SERVER": "2",
        "DMLC_NUM_WORKER": "2",
        "DMLC_ROLE": "worker",
        "DMLC_USE_KUBERNETES": "1",
        "DMLC_WORKER_ID": "1",
    }
    assert "DMLC_WORKER_ID" not in job.env_of("server-0")
