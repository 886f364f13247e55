"""From a submission to the objects that it is: the job first, then what belongs to it."""

from base64 import b64encode

from corral.kinds.objects import Object
from corral.kinds.submission.catalogue import job_type
from corral.kinds.submission.code_bundle import config_map
from corral.kinds.submission.job_type import JobType
from corral.kinds.submission.pods import replicas
from corral.kinds.submission.scheduling import QUEUE_NAME, SUSPENDED, queue_labels, scheduling_policy, told_annotations
from corral.kinds.submission.submission import Submission
from corral.kinds.submission.tensorboard import board_objects
from corral.kinds.submission.volumes import code_name, file_keys, files_name


def objects_of(submission: Submission) -> list[Object]:
    """Returns the job and what belongs to it, in the order in which they are to be made.

    Everything after the job is to be owned by it. The submission is one without `faults`.
    """
    found = job_type(submission.type)
    objects = [_job(submission, found), *_files(submission), *_code(submission), *board_objects(submission, found)]
    if submission.namespace:
        for one in objects:
            one["metadata"] = {**one["metadata"], "namespace": submission.namespace}
    return objects


def _job(submission: Submission, found: JobType) -> Object:
    facts = found.facts
    labels = dict(submission.labels)
    annotations = {**found.annotations(submission), **submission.annotations, **told_annotations(submission)}
    if submission.queue_name:
        labels[QUEUE_NAME] = submission.queue_name
    labels |= queue_labels(submission)
    if submission.queue is True:
        annotations[SUSPENDED] = "true"
    metadata = {"name": submission.name, "labels": labels, "annotations": annotations}
    roles = {role.name: replicas(submission, found, role) for role in found.roles(submission)}
    return {
        "apiVersion": facts.resource.api_version,
        "kind": facts.kind,
        "metadata": {name: value for name, value in metadata.items() if value},
        "spec": {**found.spec(submission), "runPolicy": _run_policy(submission, found), facts.map_field: roles},
    }


def _run_policy(submission: Submission, found: JobType) -> Object:
    limit = submission.retry if submission.retry is not None else found.backoff_limit
    fields = {
        "cleanPodPolicy": submission.clean_policy or found.clean_policy,
        "backoffLimit": limit,
        "activeDeadlineSeconds": submission.running_timeout,
        "ttlSecondsAfterFinished": submission.ttl,
        "schedulingPolicy": scheduling_policy(submission, found) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _code(submission: Submission) -> list[Object]:
    return [] if submission.code is None else [config_map(code_name(submission.name), submission.code)]


def _files(submission: Submission) -> list[Object]:
    """Returns the ConfigMap with the files of the submission; what is no text is kept as bytes."""
    if not submission.files:
        return []
    texts: dict[str, str] = {}
    others: dict[str, str] = {}
    for key, file in zip(file_keys(submission), submission.files, strict=True):
        try:
            texts[key] = file.content.decode()
        except UnicodeDecodeError:
            others[key] = b64encode(file.content).decode()
    content = {name: value for name, value in (("data", texts), ("binaryData", others)) if value}
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": files_name(submission.name)}, **content}]
