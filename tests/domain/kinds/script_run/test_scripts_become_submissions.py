"""What a script becomes for each framework: who runs it, with which words, and what its pods are told."""

from typing import Any

import pytest

from corral.errors import PermanentError
from corral.kinds.script_run.framework_choice import chosen_framework
from corral.kinds.script_run.framework_guess import guessed
from corral.kinds.script_run.frameworks import FRAMEWORKS, PYTORCH, framework_named
from corral.kinds.script_run.script_run import THIS_MACHINE, ScriptRun, submission_of
from corral.kinds.submission.catalogue import job_type
from corral.kinds.submission.code_bundle import CodeBundle, CodeFile
from corral.kinds.submission.faults import faults_of
from corral.kinds.submission.objects import objects_of

PYTHON = "/venv/bin/python"


def objects(framework: str, workers: int = 1, run: dict[str, Any] | None = None, **more: Any) -> list[dict[str, Any]]:
    wish = {"script": "train.py", "args": ("--lr", "0.1"), "python": PYTHON, "working_dir": "/code", **(run or {})}
    made = submission_of(
        ScriptRun(framework=framework_named(framework), more={"name": "x", "workers": workers, **more}, **wish)
    )
    assert faults_of(made) == []
    return objects_of(made)


def roles(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(value for name, value in job["spec"].items() if name.endswith("ReplicaSpecs"))
    return found


def container(job: dict[str, Any], role: str) -> dict[str, Any]:
    found: dict[str, Any] = roles(job)[role]["template"]["spec"]["containers"][0]
    return found


def env(job: dict[str, Any], role: str) -> dict[str, Any]:
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container(job, role)["env"]}


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.name)
def test_every_framework_has_a_type_of_jobs(framework: Any) -> None:
    assert job_type(framework.type).word == framework.type


@pytest.mark.parametrize(
    ("framework", "kind", "want"),
    [
        ("pytorch", "PyTorchJob", {"Master": 1, "Worker": 2}),
        ("tensorflow", "TFJob", {"Worker": 3}),
        ("jax", "JAXJob", {"Worker": 3}),
        ("xgboost", "XGBoostJob", {"Master": 1, "Worker": 2}),
        ("mpi", "MPIJob", {"Launcher": 1, "Worker": 3}),
        ("paddle", "PaddleJob", {"Worker": 3}),
        ("mxnet", "MXJob", {"Scheduler": 1, "Server": 1, "Worker": 3}),
    ],
)
def test_three_workers_are_three_processes_of_the_script(framework: str, kind: str, want: dict[str, int]) -> None:
    (job,) = objects(framework, workers=3)
    assert job["kind"] == kind
    assert {role: one["replicas"] for role, one in roles(job).items()} == want
    assert {one["restartPolicy"] for one in roles(job).values()} == {"Never"}
    assert job["spec"]["runPolicy"] == {"cleanPodPolicy": "Running"}


def test_a_script_is_run_by_words_and_no_shell() -> None:
    (job,) = objects("pytorch", run={"args": ("a b", "$(HOME)", "'", "--help")})
    made = container(job, "Master")
    assert made["command"] == [PYTHON, "train.py", "a b", "$$(HOME)", "'", "--help"]
    assert (made["image"], made["workingDir"]) == (THIS_MACHINE, "/code")
    assert env(job, "Master")["PYTHONUNBUFFERED"] == "1"
    assert "volumeMounts" not in made


def test_launchers_are_put_before_the_script_where_a_framework_has_one() -> None:
    script = ["train.py", "--lr", "0.1"]
    (job,) = objects("mpi", workers=2, run={"launcher": "/venv/bin/mpirun", "modules": frozenset(("mpi4py",))})
    assert container(job, "Launcher")["command"] == ["/venv/bin/mpirun", "-n", "2", PYTHON, "-m", "mpi4py", *script]
    assert "command" not in container(job, "Worker")
    (job,) = objects("mpi", workers=2, gpus=4)
    assert container(job, "Launcher")["command"] == ["mpirun", "-n", "8", PYTHON, *script]
    assert job["spec"]["slotsPerWorker"] == 4
    (job,) = objects("paddle", workers=2)
    assert container(job, "Worker")["command"] == [PYTHON, "-m", "paddle.distributed.launch", *script]
    assert env(job, "Worker")["POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    (job,) = objects("paddle")
    assert container(job, "Worker")["command"] == [PYTHON, *script]
    (job,) = objects("pytorch", workers=2, nproc_per_node="4")
    assert container(job, "Worker")["command"] == [PYTHON, "-m", "torch.distributed.run", *script]
    assert env(job, "Worker")["PET_NPROC_PER_NODE"] == "4"
    (job,) = objects("mxnet")
    assert env(job, "Worker")["DMLC_NODE_HOST"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    with pytest.raises(PermanentError, match="start their processes themselves"):
        objects("jax", nproc_per_node="4")


def test_what_the_user_says_comes_before_what_we_say() -> None:
    (job,) = objects("pytorch", env={"PYTHONUNBUFFERED": "0", "A": "b=c,d"}, gpus=2, cpu="500m", memory="1Gi")
    assert env(job, "Master")["PYTHONUNBUFFERED"] == "0"
    assert env(job, "Master")["A"] == "b=c,d"
    assert container(job, "Master")["resources"] == {
        "requests": {"cpu": "500m", "memory": "1Gi"},
        "limits": {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "2"},
    }
    (job,) = objects("mxnet", env={"DMLC_NODE_HOST": "10.0.0.1"})
    assert env(job, "Worker")["DMLC_NODE_HOST"] == "10.0.0.1"


def test_code_that_is_sent_is_the_working_directory_of_every_pod() -> None:
    code = CodeBundle((CodeFile("nets/small.py", "x = 1\n"), CodeFile("train.py", "import nets.small\n")))
    run = {"code": code, "working_dir": "/corral/code", "python": "python"}
    job, sent = objects("pytorch", workers=2, run=run, image="my/torch:1")
    assert (sent["kind"], sent["metadata"]["name"]) == ("ConfigMap", "x-code")
    assert sent["data"] == {"nets__small.py": "x = 1\n", "train.py": "import nets.small\n"}
    for role in ("Master", "Worker"):
        spec = roles(job)[role]["template"]["spec"]
        volume = next(one for one in spec["volumes"] if "configMap" in one)
        assert volume["configMap"] == {
            "name": "x-code",
            "items": [{"key": "nets__small.py", "path": "nets/small.py"}, {"key": "train.py", "path": "train.py"}],
        }
        mounts = {one["mountPath"]: one for one in container(job, role)["volumeMounts"]}
        assert mounts["/corral/code"] == {"name": volume["name"], "mountPath": "/corral/code", "readOnly": True}
        assert "/dev/shm" in mounts
        assert container(job, role)["workingDir"] == "/corral/code"


def test_one_worker_runs_without_a_known_framework_and_several_do_not() -> None:
    nothing, several = (guessed(text, "t.py", lambda _: None) for text in ("import numpy", "import torch, xgboost"))
    alone = chosen_framework(nothing, 1, "t.py")
    assert alone.framework is PYTORCH
    assert alone.note == "t.py imports no framework that is known; it runs as a plain process, in a PyTorchJob"
    assert chosen_framework(several, 1, "t.py").note == "t.py imports pytorch and xgboost; it runs for pytorch"
    assert chosen_framework(guessed("import jax", "t.py", lambda _: None), 4, "t.py").note == ""
    for guess in (nothing, several):
        with pytest.raises(PermanentError) as refused:
            chosen_framework(guess, 2, "t.py")
        assert (refused.value.code, "--framework" in refused.value.hint) == ("no-framework", True)
