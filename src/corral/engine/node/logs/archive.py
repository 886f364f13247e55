"""The logs of pods that are gone: whose they are, where they are found by job, and how long they are kept.

`logs/NAMESPACE/POD_UID/pod.json` stands beside the containers' folders. It is written when the pod is taken and again when
it ends, so a pod that the node never saw end is still found, with the time at which it last said something.
"""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

import msgspec

from corral.engine.node.logs.retention import KEPT_BY_DEFAULT, Remains, Retention, given_up
from corral.engine.node.logs.run_log import RunLog, runs_in
from corral.engine.small_files import NoPlainFileError, note, open_plain
from corral.kinds.objects import Object
from corral.kinds.training.label_names import BATCH_JOB_NAME, JOB_NAME

POD_FILE = "pod.json"
KEPT_RUN_LOGS = 10
"""Runs of one container whose logs are kept: one that crashes for days must not push out what others have said."""
SWEEP_SECONDS = 3600.0
"""How often what is kept should be looked through, besides at the start and when pods end."""
_JOB_LABELS = (JOB_NAME, BATCH_JOB_NAME, "job-name")


class KeptPod(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Whose logs these are."""

    namespace: str
    name: str
    uid: str
    labels: dict[str, str] = {}
    owner_kind: str = ""
    owner_name: str = ""
    ended: float | None = None
    """When the pod ended, in seconds since the epoch; None as long as it runs, or when nobody saw its end."""

    def is_of(self, job: str) -> bool:
        """Whether it is a pod of a job, or the pod itself."""
        return job in (self.name, self.owner_name) or any(self.labels.get(label) == job for label in _JOB_LABELS)


class KeptRun(NamedTuple):
    """One run of a container whose log is kept."""

    pod: KeptPod
    container: str
    log: RunLog
    last_said: float
    """When its log was last written to, in seconds since the epoch."""


def described(pod: Object) -> KeptPod:
    """Returns what is kept about a pod."""
    meta = pod["metadata"]
    owners = meta.get("ownerReferences") or []
    owner = next((each for each in owners if each.get("controller")), owners[0] if owners else {})
    return KeptPod(
        meta.get("namespace", ""),
        meta["name"],
        meta["uid"],
        dict(meta.get("labels") or {}),
        str(owner.get("kind", "")),
        str(owner.get("name", "")),
    )


def note_pod(folder: str, pod: KeptPod) -> None:
    """Writes whose logs a folder holds; the folder is made when it is not there."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    note(os.path.join(folder, POD_FILE), msgspec.json.encode(pod).decode())


def note_end(folder: str, moment: float) -> None:
    """Notes when the pod of a folder ended; the first end counts, and a folder that is not there is left alone."""
    pod = _pod_in(folder)
    if pod is not None and pod.ended is None:
        note_pod(folder, msgspec.structs.replace(pod, ended=moment))


def kept_runs(logs: str, namespace: str, job: str) -> list[KeptRun]:
    """Returns the runs whose logs are kept of a job, or of a pod of that name, the newest first."""
    found: list[KeptRun] = []
    for folder in _pod_folders(os.path.join(logs, namespace)):
        pod = _pod_in(folder)
        if pod is not None and pod.is_of(job):
            found += _runs_of(folder, pod)
    return sorted(found, key=lambda each: (each.last_said, each.log.run), reverse=True)


def drop_early_runs(container: str, most: int = KEPT_RUN_LOGS) -> None:
    """Removes the logs of all runs but the last ones from the folder of a container that is started again and again."""
    for log in runs_in(container)[:-most]:
        for path in (log.path, log.times, log.older):
            with suppress(FileNotFoundError):
                os.unlink(path)


def sweep(logs: str, existing: Collection[str], now: float, limit: Retention = KEPT_BY_DEFAULT) -> list[Remains]:
    """Removes what is beyond the limits; returns what was removed. `existing` are the uids of pods that are there."""
    remains = [each for space in _folders(logs) for folder in _pod_folders(space) if (each := _remains(folder))]
    doomed = given_up(remains, existing, now, limit)
    for each in doomed:
        with suppress(FileNotFoundError):
            shutil.rmtree(each.folder)
    for space in _folders(logs):
        with suppress(OSError):  # not empty, or just being filled
            os.rmdir(space)
    return doomed


def _remains(folder: str) -> Remains | None:
    pod, last, taken = _pod_in(folder), 0.0, 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                found = os.stat(os.path.join(path, name))
                taken += found.st_blocks * 512
                last = max(last, found.st_mtime)
    if last == 0.0:
        return None
    ended = pod.ended if pod is not None and pod.ended is not None else last
    uid = pod.uid if pod is not None else os.path.basename(folder).rpartition("_")[2]
    return Remains(folder, uid, ended, taken)


def _runs_of(folder: str, pod: KeptPod) -> Iterator[KeptRun]:
    for container in _folders(folder):
        for log in runs_in(container):
            with suppress(FileNotFoundError):
                yield KeptRun(pod, os.path.basename(container), log, os.stat(log.path).st_mtime)


def _pod_in(folder: str) -> KeptPod | None:
    try:
        with open(open_plain(os.path.join(folder, POD_FILE)), "rb") as file:
            return msgspec.json.decode(file.read(), type=KeptPod)
    except (FileNotFoundError, NoPlainFileError, msgspec.DecodeError):
        return None


def _pod_folders(space: str) -> list[str]:
    return [folder for folder in _folders(space) if "_" in os.path.basename(folder)]


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as found:
            return [each.path for each in found if each.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
