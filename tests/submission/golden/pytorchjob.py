"""`submit pytorchjob`: its own flags.

Choices where Arena's table is silent: `--workers N` are one master and N-1 workers, and with one there is no Worker at all;
`--cpu` and `--memory` are requests and limits of every role.
"""

from tests.submission.golden.facts import Row
from tests.submission.golden.job_types import MASTER, TORCH_WORKER
from tests.submission.golden.paths import ABSENT

_KIND = "PyTorchJob"
_SHM = "/dev/shm"
_START = "arena submit pytorchjob --name=p --image=torch:2 --workers=4"
_BOTH = (MASTER, TORCH_WORKER)

ROWS: dict[str, Row] = {
    "four workers are a master and three": Row(
        f"{_START} --gpus=1 'python train.py'",
        (
            MASTER.has("replicas", 1),
            TORCH_WORKER.has("replicas", 3),
            *(role.box("name", "pytorch") for role in _BOTH),
            *(role.box("command", ["sh", "-c", "python train.py"]) for role in _BOTH),
            *(role.limit("nvidia.com/gpu", "1") for role in _BOTH),
            *(role.env("workers", "4") for role in _BOTH),
            (_KIND, "spec.runPolicy.cleanPodPolicy", "Running"),
        ),
    ),
    "one worker is a master": Row(
        "arena submit pytorch --name=p --image=torch:2 'python train.py'",
        (MASTER.has("replicas", 1), TORCH_WORKER.gone(), MASTER.env("workers", "1")),
    ),
    "processors and memory": Row(
        f"{_START} --cpu=4 --memory 8Gi 'python train.py'",
        tuple(
            fact
            for role in _BOTH
            for fact in (
                role.request("cpu", "4"),
                role.limit("cpu", "4"),
                role.request("memory", "8Gi"),
                role.limit("memory", "8Gi"),
            )
        ),
    ),
    "all pods go at the end": Row(
        f"{_START} --clean-task-policy=All 'python train.py'", ((_KIND, "spec.runPolicy.cleanPodPolicy", "All"),)
    ),
    "times": Row(
        f"{_START} --running-timeout=2h22m --ttl-after-finished 5s 'python train.py'",
        (
            (_KIND, "spec.runPolicy.activeDeadlineSeconds", 8520),
            (_KIND, "spec.runPolicy.ttlSecondsAfterFinished", 5),
        ),
    ),
    "shared memory": Row(
        f"{_START} --share-memory=16Gi 'python train.py'",
        tuple(role.mounts("emptyDir.sizeLimit=16Gi", _SHM) for role in _BOTH),
    ),
    "shared memory by default": Row(
        f"{_START} 'python train.py'",
        tuple(
            fact
            for role in _BOTH
            for fact in (role.mounts("emptyDir.sizeLimit=2Gi", _SHM), role.mounts("emptyDir.medium=Memory", _SHM))
        ),
    ),
    "a number of processes for each node": Row(
        f"{_START} --nproc-per-node=8 'torchrun train.py'",
        tuple(role.env("PET_NPROC_PER_NODE", "8") for role in _BOTH),
    ),
    "as many processes as there are GPUs": Row(
        f"{_START} --nproc-per-node gpu 'torchrun train.py'",
        tuple(role.env("PET_NPROC_PER_NODE", "gpu") for role in _BOTH),
    ),
    "processes that are not given": Row(
        f"{_START} 'torchrun train.py'", tuple(role.env("PET_NPROC_PER_NODE", ABSENT) for role in _BOTH)
    ),
    "rdma knows its master": Row(
        f"{_START} --rdma 'python train.py'", tuple(role.env("MASTER_ADDR", "p-master-0") for role in _BOTH)
    ),
    "a gang counts the master": Row(
        f"{_START} --gang 'python train.py'",
        (
            (_KIND, "spec.runPolicy.schedulingPolicy.minAvailable", 4),
            *(role.template("labels[pod-group.scheduling.sigs.k8s.io/min-available]", "4") for role in _BOTH),
        ),
    ),
    "everything at once": Row(
        "arena submit pytorch --name=p --gpus=8 --workers=2 --image=torch:2 --sync-mode=git "
        "--sync-source=https://example.com/pytorch/mnist.git --data=training:/data --tensorboard --logdir=/data/logs "
        "--cpu=32 --memory=256Gi --rdma --gang --queue --priority=high --toleration=all --selector=gpu=a100 --retry=2 "
        "'torchrun --nnodes=2 code/mnist/train.py --backend nccl'",
        (
            MASTER.has("replicas", 1),
            TORCH_WORKER.has("replicas", 1),
            MASTER.limit("nvidia.com/gpu", "8"),
            MASTER.limit("rdma/hca", "1"),
            MASTER.limit("memory", "256Gi"),
            MASTER.mounts("persistentVolumeClaim.claimName=training", "/data"),
            MASTER.box("command", ["sh", "-c", "torchrun --nnodes=2 code/mnist/train.py --backend nccl"]),
            (_KIND, "spec.runPolicy.backoffLimit", 2),
            ("Deployment", "metadata.name", "p-tensorboard"),
        ),
    ),
}
