"""Everything that is wrong with a submission, each fault with the field that it is about: asked before anything is sent.

Surfaces say the field in their own words: the command line by its flag.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from corral.kinds.submission import names
from corral.kinds.submission.catalogue import job_type
from corral.kinds.submission.code_sync import MODES, project_name
from corral.kinds.submission.job_type import JobType
from corral.kinds.submission.pods import GPU
from corral.kinds.submission.spelling import shown
from corral.kinds.submission.submission import RoleWishes, Submission, Words
from corral.kinds.submission.volumes import mounted
from corral.kinds.training.replica_specs import MOST_REPLICAS

SYSTEM_NAMESPACES: Final = ("kube-system", "kube-public", "kube-node-lease")
MOST_FILES: Final = 1024 * 1024
"""How much a ConfigMap holds."""
_ROLES: Final = ("worker", "ps", "chief", "evaluator", "launcher")


class Fault(NamedTuple):
    """What is wrong, and with which field: `name`, `worker.port`."""

    field: str
    sentence: str


def faults_of(submission: Submission) -> list[Fault]:
    """Returns everything that is wrong with a submission; nothing when it can be sent."""
    found = job_type(submission.type)
    told = [
        *_of_name(submission, found),
        *_of_container(submission, found),
        *_of_amounts(submission, found),
        *_of_metadata(submission),
        *_of_placing(submission),
        *_of_data(submission),
        *_of_code(submission),
        *_of_roles(submission),
    ]
    faults = [fault for fault in told if fault.sentence]
    return faults or [fault for fault in _of_mounts(submission, found) if fault.sentence]


def _of_name(submission: Submission, found: JobType) -> Iterator[Fault]:
    suffixes = [len(f"-{role.name}-{max(role.count - 1, 0)}") for role in found.roles(submission)]
    yield Fault("name", names.job_name_fault(submission.name, max(suffixes)))
    if submission.namespace:
        yield Fault("namespace", names.label_fault(submission.namespace))
        if submission.namespace in SYSTEM_NAMESPACES:
            yield Fault("namespace", f"{submission.namespace} belongs to the system: choose another namespace")


def _of_container(submission: Submission, found: JobType) -> Iterator[Fault]:
    one = submission
    for role in found.roles(one):
        if not (role.wishes.image or one.image):
            yield Fault("image", f"there is no image for {role.name}")
            break
    yield from _each("image", names.image_fault, [one.image] if one.image else [])
    yield from _each("image_pull_secrets", names.object_name_fault, one.image_pull_secrets)
    yield from (Fault("env", names.variable_fault(name, value)) for name, value in one.env.items())
    for secret in one.secrets:
        yield Fault("secrets", names.variable_fault(secret.name))
        yield Fault("secrets", names.object_name_fault(secret.secret))
        yield Fault("secrets", names.secret_key_fault(secret.key))
    yield Fault("working_dir", names.path_fault(one.start_folder))
    if not one.shell or one.shell != one.shell.strip() or not one.shell.isprintable() or one.shell.startswith("-"):
        yield Fault("shell", f"{shown(one.shell)} is no program")
    if "\0" in one.command or any("\0" in word for word in one.argv):
        yield Fault("command", "the command has a zero byte")


def _of_amounts(submission: Submission, found: JobType) -> Iterator[Fault]:
    one = submission
    fewest = found.fewest_workers(one)
    for field, number in (("workers", one.workers), ("ps_count", one.ps_count), ("servers", one.servers)):
        if not 0 <= number <= MOST_REPLICAS:
            yield Fault(field, f"{number} is not between 0 and {MOST_REPLICAS}")
    if 0 <= one.workers < fewest:
        yield Fault("workers", f"{one.workers} is too few: at least {fewest}")
    for field, number in (("gpus", one.gpus), ("ps.gpus", one.ps.gpus), ("retry", one.retry or 0)):
        if not 0 <= number < 2**31:
            yield Fault(field, f"{number} is not between 0 and {2**31 - 1}")
    for field in ("cpu", "memory", "share_memory"):
        if amount := getattr(one, field):
            yield Fault(field, names.amount_fault(amount))
    for name, amount in one.devices.items():
        yield Fault("devices", _device_fault(name) or names.amount_fault(amount, whole=True))
    if found.word == "etjob" and one.bounds.least > one.bounds.most:
        yield Fault("bounds.least", f"{one.bounds.least} is more than {one.bounds.most}, the most that there may be")
    elif found.word == "etjob" and not one.bounds.least <= one.workers <= one.bounds.most:
        bounds = f"from {one.bounds.least} (--min-workers) to {one.bounds.most} (--max-workers)"
        yield Fault("workers", f"{one.workers} is not {bounds}")
    if found.word == "etjob" and one.bounds.least < 1:
        yield Fault("bounds.least", "at least 1")


def _device_fault(name: str) -> str:
    if name == GPU:
        return f"{GPU} is asked for by --gpus"
    return (
        names.label_key_fault(name)
        if "/" in name
        else f"{shown(name)} is no device: a domain and a name, as amd.com/gpu"
    )


def _of_metadata(submission: Submission) -> Iterator[Fault]:
    for key, value in submission.labels.items():
        yield Fault("labels", names.label_key_fault(key) or names.label_value_fault(value))
    yield from _each("annotations", names.label_key_fault, submission.annotations)
    size = sum(len(key.encode()) + len(value.encode()) for key, value in submission.annotations.items())
    if size > 128 * 1024:
        yield Fault("annotations", "together they are larger than 128 KiB")


def _of_placing(submission: Submission) -> Iterator[Fault]:
    one = submission
    yield from _selector("selector", one.selector)
    if one.priority:
        is_number = one.priority.isdigit()
        fault = f"{shown(one.priority)} is a number, and the name of a PriorityClass is due" if is_number else ""
        yield Fault("priority", fault or names.object_name_fault(one.priority))
    if one.scheduler:
        yield Fault("scheduler", names.object_name_fault(one.scheduler))
    if one.named_queue:
        yield Fault("queue", names.object_name_fault(one.named_queue) or names.label_value_fault(one.named_queue))
    if one.queue_name:
        yield Fault("queue_name", names.object_name_fault(one.queue_name) or names.label_value_fault(one.queue_name))
    for toleration in one.tolerations:
        if toleration.key:
            yield Fault(
                "tolerations", names.label_key_fault(toleration.key) or names.label_value_fault(toleration.value)
            )


def _selector(field: str, selector: Words) -> Iterator[Fault]:
    for key, value in selector.items():
        yield Fault(field, names.label_key_fault(key) or names.label_value_fault(value))


def _of_data(submission: Submission) -> Iterator[Fault]:
    one = submission
    for claim in one.claims:
        fault = names.object_name_fault(claim.claim) or names.path_fault(claim.path)
        yield Fault("claims", f"{claim.claim}:{claim.path}: {fault}" if fault else "")
    for directory in one.directories:
        yield Fault("directories", names.path_fault(directory.host) or names.path_fault(directory.path))
    yield from _each("files", names.path_fault, [file.path for file in one.files])
    if sum(len(file.content) for file in one.files) > MOST_FILES:
        yield Fault("files", "together they are larger than 1 MiB: put them on a claim, and give --data")
    board = one.tensorboard
    if board.enabled:
        yield Fault("tensorboard.image", names.image_fault(board.image))
        yield Fault("tensorboard.logdir", "" if "://" in board.logdir else names.path_fault(board.logdir))


def _of_code(submission: Submission) -> Iterator[Fault]:
    sync = submission.sync
    if sync.mode == "hdfs":
        yield Fault("sync.mode", "hdfs is not there (nor is it in Arena): use git or rsync, or mount a claim by --data")
    elif sync.mode not in ("", *MODES):
        yield Fault("sync.mode", f"{shown(sync.mode)} is neither git nor rsync")
    elif sync.mode and not sync.source:
        yield Fault("sync.source", f"{sync.mode} needs to know where the code is")
    elif sync.source and not sync.mode:
        yield Fault("sync.mode", "code has a source, and git or rsync must say how it comes")
    if sync.source and (
        sync.source.startswith("-") or not sync.source.isprintable() or sync.source != sync.source.strip()
    ):
        yield Fault("sync.source", f"{shown(sync.source)} is no address of code")
    elif sync.mode == "git" and sync.source and project_name(sync.source) in ("", ".", ".."):
        yield Fault("sync.source", f"{shown(sync.source)} has no name of a repository at its end")
    yield from _each("sync.image", names.image_fault, [sync.image] if sync.image else [])
    for name in ("GIT_SYNC_BRANCH", "GIT_SYNC_REV"):
        if sync.mode == "git" and submission.env.get(name, "").startswith("-"):
            yield Fault("env", f"{name} must not begin with a dash")
    if sync.mode == "git" and not submission.env.get("GIT_SYNC_DEPTH", "0").isdigit():
        yield Fault("env", "GIT_SYNC_DEPTH is no number")


def _of_roles(submission: Submission) -> Iterator[Fault]:
    for role in _ROLES:
        wishes: RoleWishes = getattr(submission, role)
        yield from _each(f"{role}.image", names.image_fault, [wishes.image] if wishes.image else [])
        for field in ("cpu", "cpu_limit", "memory", "memory_limit"):
            if amount := getattr(wishes, field):
                yield Fault(f"{role}.{field}", names.amount_fault(amount))
        yield Fault(f"{role}.port", _port_fault(wishes.port))
        yield from _selector(f"{role}.selector", wishes.selector)
        yield from _each(f"{role}.annotations", names.label_key_fault, wishes.annotations)
    yield Fault("ssh_port", _port_fault(submission.ssh_port))
    if submission.ssh_secret:
        yield Fault("ssh_secret", names.object_name_fault(submission.ssh_secret))


def _port_fault(port: int) -> str:
    return "" if 0 <= port <= 65535 else f"{port} is no port: 1 to 65535, or 0 to leave it to the operator"


def _of_mounts(submission: Submission, found: JobType) -> Iterator[Fault]:
    """Yields paths at which two things would be mounted."""
    for role in found.roles(submission):
        taken: set[str] = set()
        for mount in (mount for one in mounted(submission, found, role) for mount in one.mounts):
            path = mount["mountPath"].rstrip("/")
            if path in taken:
                yield Fault(
                    "claims", f"two things cannot both be at {path}: see --data, --data-dir, --config-file, --logdir"
                )
                return
            taken.add(path)


def _each(field: str, ask: names.Asking, values: Iterable[str]) -> Iterator[Fault]:
    yield from (Fault(field, ask(value)) for value in values)
