"""Asking the API for what a table or the story of a job needs."""

from typing import Any

from corral.control.desk.finding import Found, training_jobs
from corral.control.desk.job_lines import JobLine, by_job, job_line
from corral.control.desk.kinds import training_resources
from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.references import ApiResource
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import EVENT, POD
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, InvalidError, NotFoundError


def jobs_in(session: Session, resource: ApiResource | None = None, *, everywhere: bool = False) -> list[Found]:
    """Returns the training jobs of one kind, or of all, sorted by place and name."""
    resources = [resource] if resource is not None else training_resources(session.store.catalogue())
    return sorted(training_jobs(session, resources, everywhere=everywhere), key=lambda job: (job.key, job.resource))


def lines_of(session: Session, jobs: list[Found], *, everywhere: bool = False) -> list[JobLine]:
    """Returns a line for each job; how often containers were restarted in place only the pods can tell."""
    scope = Scope("" if everywhere else session.namespace, labels=JOB_NAME)
    pods = by_job(pods_in(session.store, scope)) if jobs else {}
    return [job_line(job, pods.get(job.key, [])) for job in jobs]


def pods_in(store: DirectStore, scope: Scope) -> list[PodView]:
    """Returns the pods of a scope, trimmed; none when we may not read them."""
    found: list[PodView] = []
    try:
        for page in store.pages(POD, scope, PodView):
            if page.is_first:
                found.clear()
            found += page.items
    except ForbiddenError:
        return []
    return found


def table_of(session: Session, resource: ApiResource, name: str, *, everywhere: bool = False) -> Object:
    """Returns the server's own table of a kind, or of one object of it."""
    namespace = session.namespace if resource.namespaced and not everywhere else ""
    scope = Scope(namespace, fields=f"metadata.name={name}" if name else "")
    return session.store.list_table(resource, scope)


def events_of(session: Session, job: Found, pods: list[PodView]) -> list[dict[str, Any]]:
    """Returns what was said about a job, and the warnings about its pods, oldest first."""
    namespace = job.key.namespace
    uid = job.object["metadata"].get("uid", "")
    names = {pod.name for pod in pods}
    try:
        own = session.store.list(EVENT, Scope(namespace, fields=f"involvedObject.uid={uid}"))
        warnings = session.store.list(EVENT, Scope(namespace, fields="involvedObject.kind=Pod,type=Warning"))
    except (ForbiddenError, NotFoundError, InvalidError):
        return []
    about_pods = [one for one in warnings if (one.get("involvedObject") or {}).get("name") in names]
    return sorted([*own, *about_pods], key=event_time)


def event_time(event: Object) -> str:
    """Returns when something was last said."""
    series = event.get("series") or {}
    told = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return next((str(one) for one in told if one), str(event["metadata"].get("creationTimestamp") or ""))
