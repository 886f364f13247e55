"""Asking the API for what a table or the story of a job needs."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, cast

from corral.control.desk.jobs.glances import JobGlance
from corral.control.desk.jobs.lines import JobLine, PodsByJob, job_line
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found, ignored, training_jobs
from corral.control.desk.naming.kinds import TRAINING_RESOURCES
from corral.control.desk.naming.trainers import trainer_named, trainer_of
from corral.control.desk.session import Session
from corral.control.desk.together import asked_together
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import POD
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError


class Wanted(NamedTuple):
    """Which jobs are asked for."""

    trainer: str = ""
    """The type, such as `tfjob`; "" is all of them."""
    labels: str = ""
    """A selector in the server's syntax."""
    everywhere: bool = False
    """Whether all namespaces are meant."""


def jobs_in(
    session: Session,
    resource: ApiResource | None = None,
    *,
    everywhere: bool = False,
    wanted: Wanted | None = None,
    at_a_glance: bool = False,
    on_note: Callable[[str], None] = ignored,
) -> list[Found]:
    """Returns the training jobs of one kind, or of all, the newest first; what we may not read is noted.

    At a glance they are only what a table shows, which is quicker.
    """
    wanted = wanted or Wanted(everywhere=everywhere)
    trainer = trainer_named(wanted.trainer)
    kinds = [one for one in TRAINING_RESOURCES if trainer is None or one.kind == trainer.kind]
    list_them = partial(
        training_jobs,
        session,
        kinds if resource is None else [resource],
        shape=JobGlance if at_a_glance else dict[str, Any],
        on_note=on_note,
    )
    found = _jobs_seen(session.namespace, wanted, list_them, on_note)
    of_type = [one for one in found if trainer is None or trainer_of(one.resource.kind, one.object) == trainer.name]
    return newest_first(of_type)


def _jobs_seen(
    namespace: str, wanted: Wanted, list_them: Callable[[Scope], list[Found]], on_note: Callable[[str], None]
) -> list[Found]:
    """Returns the jobs that are listed; who asks for all namespaces and may read only some gets those of the own one."""
    own = Scope(namespace, labels=wanted.labels)
    if not wanted.everywhere:
        return list_them(own)
    try:
        return list_them(Scope(labels=wanted.labels))
    except ForbiddenError:
        found = list_them(own)
        on_note(f"left out, since you may not list all jobs: those outside of namespace {namespace}")
        return found


def newest_first(jobs: Iterable[Found]) -> list[Found]:
    """Returns jobs by age, those of one second by place and name."""
    by_place = sorted(jobs, key=lambda job: (job.key, job.resource))
    return sorted(by_place, key=lambda job: str(job.object["metadata"].get("creationTimestamp") or ""), reverse=True)


def namespace_of(session: Session, jobs: Iterable[Found]) -> str:
    """Returns the namespace in which the pods of jobs are: the own one as long as all are there, else all of them."""
    return session.namespace if all(job.key.namespace == session.namespace for job in jobs) else ""


class Looked(NamedTuple):
    """Jobs, and a line for each of them."""

    jobs: list[Found]
    lines: list[JobLine]


def looked_at(
    session: Session,
    resource: ApiResource | None = None,
    *,
    wanted: Wanted,
    at_a_glance: bool = False,
    on_note: Callable[[str], None] = ignored,
) -> Looked:
    """Returns the training jobs as `jobs_in` does, with their lines; how often containers were restarted only pods can tell.

    Jobs and pods are asked for at the same time.
    """
    unseen: list[str] = []
    around = "" if wanted.everywhere else session.namespace

    def jobs_by(store: DirectStore) -> list[Found]:
        own = session._replace(store=store)
        return jobs_in(own, resource, wanted=wanted, at_a_glance=at_a_glance, on_note=on_note)

    def pods_by(store: DirectStore, namespace: str = around) -> list[JobPod]:
        return pods_in(store, Scope(namespace, labels=JOB_NAME), on_note=unseen.append)

    jobs, pods = cast("tuple[list[Found], list[JobPod]]", asked_together(session, [jobs_by, pods_by]))
    if unseen and namespace_of(session, jobs) != around:
        unseen.clear()  # who may not see all pods may see those beside the jobs
        pods = pods_by(session.store, session.namespace)
    if jobs and unseen:
        on_note(unseen[0])
    beside = PodsByJob(pods)
    return Looked(jobs, [job_line(job, beside.of(job)) for job in jobs])


def pods_in(store: DirectStore, scope: Scope, *, on_note: Callable[[str], None] = ignored) -> list[JobPod]:
    """Returns the pods of a scope, trimmed; none, and a note, when we may not read them."""
    found: list[JobPod] = []
    try:
        for page in store.pages(POD, scope, JobPod):
            if page.is_first:
                found.clear()
            found += page.items
    except ForbiddenError:
        on_note("left out, since you may not list pods: what only they can tell")
        return []
    return found


def table_of(session: Session, resource: ApiResource, name: str, *, everywhere: bool = False) -> Object:
    """Returns the server's own table of a kind, or of one object of it."""
    namespace = session.namespace if resource.namespaced and not everywhere else ""
    scope = Scope(namespace, fields=f"metadata.name={name}" if name else "")
    return session.store.list_table(resource, scope)
