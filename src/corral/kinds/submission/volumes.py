"""What the containers of a role see of the world: claims, directories, files, code, shared memory, logs for TensorBoard.

Which volume carries what is nobody's business, so names are plain numbers; paths and sources are what counts.
"""

from typing import Any, Final, NamedTuple

from corral.kinds.objects import Object
from corral.kinds.submission import code_bundle
from corral.kinds.submission.job_type import JobType, Role
from corral.kinds.submission.submission import Submission

SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - a path in containers
CODE: Final = "code"
"""The volume with the code, and the folder below the working directory at which it is mounted."""


class Mounted(NamedTuple):
    """A volume of a pod and where the container that trains sees it."""

    volume: Object
    mounts: tuple[Object, ...]


def mounted(submission: Submission, job_type: JobType, role: Role) -> list[Mounted]:
    """Returns the volumes of a role."""
    found = [
        *_code(submission),
        *_sent_code(submission),
        *_files(submission),
        *(_at(*one) for one in job_type.extra_volumes(submission)),
    ]
    if role.trains or submission.mounts_on_launcher:
        found += _claims(submission)
    if role.trains:
        found += [*_directories(submission), *_shared_memory(submission, job_type), *_logs(submission)]
    return found


def code_path(submission: Submission) -> str:
    """Returns where the code is."""
    return f"{submission.start_folder.rstrip('/')}/{CODE}"


def files_name(name: str) -> str:
    """Returns the name of the ConfigMap with the files of a job."""
    return f"{name}-files"


def code_name(name: str) -> str:
    """Returns the name of the ConfigMap with the code of a job."""
    return f"{name}-code"


def file_keys(submission: Submission) -> list[str]:
    """Returns the key of each file in the ConfigMap: its own name, where that is a key and no other file has it."""
    keys: list[str] = []
    for number, file in enumerate(submission.files):
        name = file.path.rpartition("/")[2]
        is_key = name.isascii() and name.strip(".") != "" and all(one.isalnum() or one in "-._" for one in name)
        keys.append(name if is_key and len(name) <= 200 and name not in keys else f"file-{number}")
    return keys


def shares_node_directory(submission: Submission) -> bool:
    """Whether TensorBoard reads from a directory of the node that nothing else of the submission mounts."""
    board = submission.tensorboard
    is_remote = "://" in board.logdir
    return board.enabled and not is_remote and not any(is_below(board.logdir, path) for path in _data_paths(submission))


def _data_paths(submission: Submission) -> list[str]:
    return [*(one.path for one in submission.claims), *(one.path for one in submission.directories)]


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or lies in it."""
    return path.rstrip("/") == folder.rstrip("/") or path.startswith(folder.rstrip("/") + "/")


def logs_path(namespace: str, name: str) -> str:
    """Returns the directory of the node that a job and its TensorBoard share."""
    # Of one component and below a folder that everybody may write to: on one machine pods have the rights of a person.
    # No namespace has a dot in it, so no two jobs have one path.
    return f"/tmp/corral-logs-{namespace or 'default'}.{name}"  # noqa: S108


def logs_volume(submission: Submission) -> Object:
    """Returns that directory as a volume."""
    path = logs_path(submission.namespace, submission.name)
    return {"name": "training-logs", "hostPath": {"path": path, "type": "DirectoryOrCreate"}}


def claim_volumes(submission: Submission) -> dict[str, Object]:
    """Returns one volume for each claim, however often it is mounted."""
    claims = dict.fromkeys(one.claim for one in submission.claims)
    return {
        claim: {"name": f"claim-{number}", "persistentVolumeClaim": {"claimName": claim}}
        for number, claim in enumerate(claims)
    }


def directory_volumes(submission: Submission) -> list[Object]:
    """Returns one volume for each directory of the node."""
    return [
        {"name": f"directory-{number}", "hostPath": {"path": one.host}}
        for number, one in enumerate(submission.directories)
    ]


def _claims(submission: Submission) -> list[Mounted]:
    volumes = claim_volumes(submission)
    return [
        Mounted(volume, tuple(_mount(volume, one.path) for one in submission.claims if one.claim == claim))
        for claim, volume in volumes.items()
    ]


def _directories(submission: Submission) -> list[Mounted]:
    pairs = zip(directory_volumes(submission), submission.directories, strict=True)
    return [_at(volume, one.path) for volume, one in pairs]


def _files(submission: Submission) -> list[Mounted]:
    if not submission.files:
        return []
    volume = {"name": "files", "configMap": {"name": files_name(submission.name)}}
    pairs = zip(file_keys(submission), submission.files, strict=True)
    return [Mounted(volume, tuple(_mount(volume, one.path, subPath=key) for key, one in pairs))]


def _code(submission: Submission) -> list[Mounted]:
    return [_at({"name": CODE, "emptyDir": {}}, code_path(submission))] if submission.sync.mode else []


def _sent_code(submission: Submission) -> list[Mounted]:
    """Returns the code that travels with the submission, which nobody can write to."""
    if submission.code is None:
        return []
    volume = code_bundle.volume("sent-code", code_name(submission.name), submission.code)
    return [Mounted(volume, (_mount(volume, submission.start_folder, readOnly=True),))]


def _shared_memory(submission: Submission, job_type: JobType) -> list[Mounted]:
    size = submission.share_memory or job_type.share_memory
    if not size or submission.is_here:
        return []
    return [_at({"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}}, SHARED_MEMORY)]


def _logs(submission: Submission) -> list[Mounted]:
    if not shares_node_directory(submission):
        return []
    return [_at(logs_volume(submission), submission.tensorboard.logdir)]


def _at(volume: Object, path: str) -> Mounted:
    return Mounted(volume, (_mount(volume, path),))


def _mount(volume: Object, path: str, **more: Any) -> Object:
    return {"name": volume["name"], "mountPath": path, **more}
