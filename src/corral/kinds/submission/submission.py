"""A job that somebody asks for in a few words, whatever its type; what each word becomes is decided in `objects`."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from corral.kinds.submission.code_bundle import CodeBundle

WORKING_DIR: Final = "/root"
"""Where a container starts on a cluster when nothing else is said: Arena's own choice, to which the paths of its users are
relative."""
TENSORBOARD_IMAGE: Final = "tensorflow/tensorflow:latest"
"""Has TensorBoard; on one machine only the command of that name counts."""
LOGDIR: Final = "/training_logs"

Words = Mapping[str, str]


class Toleration(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A taint that the pods bear; without a key, every taint."""

    key: str = ""
    operator: Literal["Equal", "Exists", ""] = ""
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute", ""] = ""


class ClaimMount(msgspec.Struct, frozen=True):
    """A PersistentVolumeClaim and where containers see it."""

    claim: str
    path: str


class DirectoryMount(msgspec.Struct, frozen=True):
    """A directory of the node and where containers see it."""

    host: str
    path: str


class LocalFile(msgspec.Struct, frozen=True):
    """A file that travels with the submission, and where containers see it."""

    path: str
    content: bytes


class SecretValue(msgspec.Struct, frozen=True):
    """A variable whose value stands in a Secret and nowhere else."""

    name: str
    secret: str
    key: str


class CodeSync(msgspec.Struct, frozen=True, kw_only=True):
    """Where the code comes from."""

    mode: str = ""
    source: str = ""
    image: str = ""


class TensorBoard(msgspec.Struct, frozen=True, kw_only=True):
    """Curves beside the job."""

    enabled: bool = False
    image: str = TENSORBOARD_IMAGE
    logdir: str = LOGDIR


class RoleWishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is said about one role alone; nothing said means what the job says."""

    image: str = ""
    port: int = 0
    """0 leaves it to the operator."""
    cpu: str = ""
    cpu_limit: str = ""
    memory: str = ""
    memory_limit: str = ""
    gpus: int = 0
    selector: Words = {}
    affinity: Literal["none", "spread", "binpack"] = "none"
    affinity_constraint: Literal["preferred", "required"] = "preferred"
    annotations: Words = {}
    restart_policy: str = ""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Between how many workers an elastic job may be moved."""

    least: int = 1
    most: int = 1000


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be said about a job; fields that a type does not know keep their defaults."""

    type: str
    """The word for its type: tfjob, pytorchjob, ..."""
    name: str
    namespace: str = ""
    """Empty until it is known where the job goes."""

    image: str = ""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = "Always"
    image_pull_secrets: tuple[str, ...] = ()
    command: str = ""
    """One text for a shell; without it the image runs what it runs by itself."""
    argv: tuple[str, ...] = ()
    """The words of a program that needs no shell, in place of a command; nothing in them is taken for a variable."""
    shell: str = "sh"
    working_dir: str | None = None
    """Where containers start; None when nobody said it."""
    env: Words = {}
    secrets: tuple[SecretValue, ...] = ()
    pod_fields: Words = {}
    """Variables that tell a field of the pod itself, such as its address."""
    is_here: bool = False
    """Whether it runs with programs of this machine: then pods are given nothing in place of what the machine has."""

    workers: int = 1
    gpus: int = 0
    cpu: str = ""
    memory: str = ""
    devices: Words = {}
    share_memory: str = ""
    rdma: bool = False

    claims: tuple[ClaimMount, ...] = ()
    directories: tuple[DirectoryMount, ...] = ()
    files: tuple[LocalFile, ...] = ()
    code: CodeBundle | None = None
    """Code that travels with the submission; it is the working directory."""
    sync: CodeSync = CodeSync()
    tensorboard: TensorBoard = TensorBoard()

    labels: Words = {}
    annotations: Words = {}
    selector: Words = {}
    tolerations: tuple[Toleration, ...] = ()
    priority: str = ""
    scheduler: str = ""
    gang: bool = False
    checkpoints: bool = False
    """Whether it goes on where it was after it was stopped, so that it may be moved."""
    stays: bool = False
    """Whether it must not be stopped to make room for others."""
    queue: bool | str = False
    """The queue that it waits in; True where it waits for kube-queue, which has no names."""
    queue_name: str = ""
    """The queue of Kueue that it waits in."""
    host_network: bool = False
    host_ipc: bool = False
    host_pid: bool = False

    retry: int | None = None
    clean_policy: Literal["", "None", "Running", "All"] = ""
    running_timeout: int | None = None
    run_time: int | None = None
    """How long it will run, in seconds, as far as its owner knows."""
    ttl: int | None = None

    worker: RoleWishes = RoleWishes()
    ps: RoleWishes = RoleWishes()
    chief: RoleWishes = RoleWishes()
    evaluator: RoleWishes = RoleWishes()
    launcher: RoleWishes = RoleWishes()

    ps_count: int = 0
    has_chief: bool = False
    has_evaluator: bool = False
    success_policy: Literal["", "AllWorkers"] = ""
    nproc_per_node: str = ""
    servers: int = 1
    gpu_topology: bool = False
    mounts_on_launcher: bool = False
    ssh_port: int = 0
    ssh_secret: str = ""
    bounds: Bounds = Bounds()

    @property
    def named_queue(self) -> str:
        """Returns the queue that it waits in, "" when it names none."""
        return self.queue if isinstance(self.queue, str) else ""

    @property
    def start_folder(self) -> str:
        """Returns where containers start."""
        return WORKING_DIR if self.working_dir is None else self.working_dir

    @property
    def may_start_here(self) -> bool:
        """Returns whether on one machine containers start where the job was submitted: nobody said otherwise.

        Code that is fetched stays below Arena's folder, since its users write the whole path of it in their commands.
        """
        return self.working_dir is None and not self.sync.mode
