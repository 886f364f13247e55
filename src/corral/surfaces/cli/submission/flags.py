"""The flags that every type of job has, in the sections of the help page; and where to find those of each type."""

from collections.abc import Iterator
from functools import cache

from corral.kinds.submission import spelling
from corral.surfaces.cli.submission.flag import (
    AMOUNT,
    COUNT,
    IMAGE,
    NAME,
    NAMES,
    PAIRS,
    PATH,
    QUEUE,
    SWITCH,
    TEXT,
    TIME,
    Flag,
    Value,
    chosen,
)
from corral.surfaces.cli.submission.local_files import local_file

_HUB = "leave it out: models are registered by the model hub, which comes later"

SECTIONS: dict[str, tuple[Flag, ...]] = {
    "What runs": (
        Flag("--name", "name", NAME, "The name of the job."),
        Flag("--image", "image", IMAGE, "The image of its containers."),
        Flag(
            "--env",
            "env",
            PAIRS,
            "A variable; repeatable. Commas, quotes and signs of equality stay as they are.",
            "-e",
        ),
        Flag(
            "--env-from-secret",
            "secrets",
            Value("NAME=SECRET[:KEY]", spelling.secret_value, tuple),
            "A variable whose value stands in a Secret; repeatable.",
        ),
        Flag(
            "--working-dir",
            "working_dir",
            PATH,
            "Where the command starts, on one machine here by default; code comes to the folder `code` in it.",
        ),
        Flag("--shell", "shell", TEXT, "What runs the command: sh, or bash."),
        Flag(
            "--image-pull-policy",
            "image_pull_policy",
            chosen("Always", "IfNotPresent", "Never"),
            "When an image is fetched.",
        ),
        Flag("--image-pull-secret", "image_pull_secrets", NAMES, "A Secret for a private registry; repeatable."),
    ),
    "How much": (
        Flag("--workers", "workers", COUNT, "How many workers; 1 by default."),
        Flag("--gpus", "gpus", COUNT, "GPUs of each worker."),
        Flag("--device", "devices", PAIRS, "Another device of each worker, as amd.com/gpu=1; repeatable."),
        Flag("--share-memory", "share_memory", AMOUNT, "The size of /dev/shm."),
        Flag("--rdma", "rdma", SWITCH, "One RDMA adapter for each worker."),
    ),
    "Data and code": (
        Flag(
            "--data",
            "claims",
            Value("CLAIM:PATH", spelling.claim, tuple),
            "A PersistentVolumeClaim and where it is seen; repeatable.",
            "-d",
        ),
        Flag(
            "--data-dir",
            "directories",
            Value("DIR[:PATH]", spelling.directory, tuple),
            "A directory of the node and where it is seen; repeatable.",
        ),
        Flag(
            "--config-file",
            "files",
            Value("FILE[:PATH]", local_file, tuple),
            "A file from here and where it is seen; repeatable.",
        ),
        Flag("--sync-mode", "sync.mode", Value("git|rsync", str), "How code comes before the training starts."),
        Flag("--sync-source", "sync.source", TEXT, "Where the code is."),
        Flag("--sync-image", "sync.image", IMAGE, "An image that has git or rsync."),
    ),
    "Where and when": (
        Flag("--selector", "selector", PAIRS, "A label of the nodes; repeatable."),
        Flag(
            "--toleration",
            "tolerations",
            Value("KEY=VALUE:EFFECT,OPERATOR", spelling.toleration, tuple),
            "A taint that its pods bear, or `all`; repeatable.",
        ),
        Flag("--priority", "priority", NAME, "A PriorityClass.", "-p"),
        Flag("--gang", "gang", SWITCH, "All pods at once, or none."),
        Flag("--checkpoints", "checkpoints", SWITCH, "It goes on where it was after a stop: it may be moved."),
        Flag("--not-preemptible", "stays", SWITCH, "It is never stopped to make room for others."),
        Flag(
            "--queue",
            "queue",
            QUEUE,
            "Wait in this queue, and be placed by Corral; without a name, wait for kube-queue.",
        ),
        Flag("--queue-name", "queue_name", NAME, "Wait in this queue of Kueue."),
        Flag("--scheduler", "scheduler", NAME, "Who places the pods."),
        Flag("--run-time", "run_time", TIME, "How long it will run, so that it may fill gaps: 90m, 2h."),
        Flag("--host-network", "host_network", SWITCH, "Use the network of the node."),
        Flag("--host-ipc", "host_ipc", SWITCH, "Share memory and semaphores with the node.", also=("--hostIPC",)),
        Flag("--host-pid", "host_pid", SWITCH, "See the processes of the node.", also=("--hostPID",)),
    ),
    "Its life": (
        Flag("--retry", "retry", COUNT, "How often it may be restarted."),
        Flag("--running-timeout", "running_timeout", TIME, "It fails when it is active longer: 90s, 1h30m."),
        Flag("--ttl-after-finished", "ttl", TIME, "It is deleted so long after its end."),
        Flag(
            "--clean-task-policy", "clean_policy", chosen("Running", "None", "All"), "Which pods go when the job ends."
        ),
        Flag("--label", "labels", PAIRS, "A label of the job and its pods; repeatable.", "-l"),
        Flag("--annotation", "annotations", PAIRS, "An annotation of the job and its pods; repeatable.", "-a"),
    ),
    "TensorBoard": (
        Flag("--tensorboard", "tensorboard.enabled", SWITCH, "Start one beside the job."),
        Flag("--tensorboard-image", "tensorboard.image", IMAGE, "An image that has it."),
        Flag("--logdir", "tensorboard.logdir", PATH, "Where the training writes its events."),
    ),
    "Refused": (
        Flag("--model-name", "", TEXT, "", refused=_HUB),
        Flag("--model-source", "", TEXT, "", refused=_HUB),
    ),
}


@cache
def sections_of(word: str) -> dict[str, tuple[Flag, ...]]:
    """Returns the flags of a type of jobs, section by section; its own come first, behind what every job needs."""
    from corral.surfaces.cli.submission.flags_of_types import OWN

    own = {**OWN[word]}
    title = f"Only {word}"
    first, *rest = SECTIONS.items()
    refused = (*SECTIONS["Refused"], *own.pop("Refused", ()))
    parts = [first, (title, own.pop("Own", ())), *rest]
    return {name: flags for name, flags in parts if flags and name != "Refused"} | {"Refused": refused}


def flags_of(word: str) -> Iterator[Flag]:
    """Yields the flags of a type of jobs."""
    for flags in sections_of(word).values():
        yield from flags
