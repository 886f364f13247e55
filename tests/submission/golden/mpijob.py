"""`submit mpijob`: its own flags, and the line of the talk of 2018.

Choices where Arena's table is silent:
- The launcher runs the command; workers have none, since the operator gives them one that waits.
- Workers have as many slots as GPUs: Arena's operator counted them so.
- Claims are mounted where the training runs, on the workers; on the launcher only with `--mounts-on-launcher`.
- Our launcher reaches workers through the API, so no server for ssh is started; `--ssh-port` is the port that the workers
  declare, for images that start one themselves.
- `--gputopology` asks for the resource of that scheduler plug-in in place of NVIDIA's and labels the pods for it.
"""

from tests.submission.golden.facts import Row
from tests.submission.golden.job_types import DEFAULT_DIR, LAUNCHER, MPI_WORKER
from tests.submission.golden.paths import ABSENT

_KIND = "MPIJob"
_TALK = (
    "mpirun python code/benchmarks/scripts/tf_cnn_benchmarks/tf_cnn_benchmarks.py --model resnet101 --batch_size 64 "
    "--variable_update horovod"
)
_IMAGE = "uber/horovod:0.13.11-tf1.10.0-torch0.4.0-py3.5"
_START = "arena submit mpijob --name=m --image=mpi:1 --workers=2"

ROWS: dict[str, Row] = {
    "the talk of 2018": Row(
        f"arena submit mpijob --name=mpi-dist --gpus=1 --workers=2 --image={_IMAGE} "
        "--env=GIT_SYNC_BRANCH=cnn_tf_v1.9_compatible --syncMode=git "
        "--syncSource=https://github.com/tensorflow/benchmarks.git --sshPort=33 --data=tfdata:/data_dir --tensorboard "
        f'"{_TALK}"',
        (
            (_KIND, "apiVersion", "kubeflow.org/v1"),
            (_KIND, "metadata.name", "mpi-dist"),
            LAUNCHER.has("replicas", 1),
            MPI_WORKER.has("replicas", 2),
            LAUNCHER.box("command", ["sh", "-c", _TALK]),
            *(role.box("name", "mpi") for role in (LAUNCHER, MPI_WORKER)),
            *(role.box("image", _IMAGE) for role in (LAUNCHER, MPI_WORKER)),
            *(role.env("GIT_SYNC_BRANCH", "cnn_tf_v1.9_compatible") for role in (LAUNCHER, MPI_WORKER)),
            MPI_WORKER.limit("nvidia.com/gpu", "1"),
            LAUNCHER.unlimited("nvidia.com/gpu"),
            MPI_WORKER.pod("initContainers[name=init-code].command[0]", "git"),
            MPI_WORKER.init_says("clone", "https://github.com/tensorflow/benchmarks.git", "cnn_tf_v1.9_compatible"),
            MPI_WORKER.init_says("/benchmarks"),
            MPI_WORKER.mounts("emptyDir={}", f"{DEFAULT_DIR}/code"),
            MPI_WORKER.mounts("persistentVolumeClaim.claimName=tfdata", "/data_dir"),
            MPI_WORKER.box("ports[containerPort=33].containerPort", 33),
            ("Deployment", "metadata.name", "mpi-dist-tensorboard"),
            ("Service", "metadata.name", "mpi-dist-tensorboard"),
        ),
    ),
    "a launcher and its workers": Row(
        f"{_START} 'mpirun python train.py'",
        (
            LAUNCHER.has("replicas", 1),
            MPI_WORKER.has("replicas", 2),
            LAUNCHER.box("command", ["sh", "-c", "mpirun python train.py"]),
            MPI_WORKER.box("command", ABSENT),
            (_KIND, "spec.runPolicy.cleanPodPolicy", "All"),
            (_KIND, "spec.mpiImplementation", ABSENT),
        ),
    ),
    "one worker": Row(
        "arena submit mpi --name=m --image=mpi:1 'mpirun python train.py'",
        (LAUNCHER.has("replicas", 1), MPI_WORKER.has("replicas", 1)),
    ),
    "processors and memory": Row(
        f"{_START} --cpu=4 --memory=8Gi 'mpirun python train.py'",
        (
            MPI_WORKER.request("cpu", "4"),
            MPI_WORKER.limit("cpu", "4"),
            MPI_WORKER.request("memory", "8Gi"),
            MPI_WORKER.limit("memory", "8Gi"),
        ),
    ),
    "a slot for each GPU": Row(
        f"{_START} --gpus=4 'mpirun python train.py'",
        ((_KIND, "spec.slotsPerWorker", 4), MPI_WORKER.limit("nvidia.com/gpu", "4")),
    ),
    "the topology of GPUs": Row(
        f"{_START} --gpus=2 --gputopology 'mpirun python train.py'",
        (
            MPI_WORKER.limit("aliyun.com/gpu", "2"),
            MPI_WORKER.unlimited("nvidia.com/gpu"),
            MPI_WORKER.pod("hostNetwork", True),
            MPI_WORKER.template("labels.gpu-topology", "true"),
            MPI_WORKER.template("labels.gpu-topology-replica", "2"),
        ),
    ),
    "claims are for workers": Row(
        f"{_START} --data=images:/images 'mpirun python train.py'",
        (
            MPI_WORKER.mounts("persistentVolumeClaim.claimName=images", "/images"),
            LAUNCHER.box("volumeMounts[mountPath=/images]", ABSENT),
        ),
    ),
    "claims are for the launcher as well": Row(
        f"{_START} --data=images:/images --mounts-on-launcher 'mpirun python train.py'",
        tuple(role.mounts("persistentVolumeClaim.claimName=images", "/images") for role in (LAUNCHER, MPI_WORKER)),
    ),
    "no pod goes at the end": Row(
        f"{_START} --clean-task-policy=None 'mpirun python train.py'",
        ((_KIND, "spec.runPolicy.cleanPodPolicy", "None"),),
    ),
    "nodes of both roles": Row(
        f"{_START} --selector=disk=ssd 'mpirun python train.py'",
        tuple(role.pod("nodeSelector.disk", "ssd") for role in (LAUNCHER, MPI_WORKER)),
    ),
    "a gang of workers": Row(
        f"{_START} --gang 'mpirun python train.py'",
        (MPI_WORKER.template("labels[pod-group.scheduling.sigs.k8s.io/min-available]", "2"),),
    ),
}
