"""Crons, as people ask for them: making one, showing them, suspending and resuming."""

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from corral.control.desk.changing.change import change
from corral.control.desk.jobs.lines import conditions_of, state_of, status_of
from corral.control.desk.making.submitting import Made, submit_objects
from corral.control.desk.naming.finding import Found
from corral.control.desk.naming.kinds import shown_name
from corral.control.desk.naming.suggestions import did_you_mean
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey, split_api_version
from corral.ports.object_store import Scope, WriteOptions
from corral.ports.refusals import AlreadyExistsError, ForbiddenError, NotFoundError

_INSTALL: Final = "`corral install` puts its definition on a cluster"


class CronLine(NamedTuple):
    """What a table tells about a cron; times are as the API writes them, "" when there is none."""

    namespace: str
    name: str
    type: str
    schedule: str
    suspended: bool
    deadline: str
    policy: str
    time_zone: str
    created: str
    last: str
    next: str
    active: int
    missed: int
    state: str
    why: str


class RunLine(NamedTuple):
    """One job of a cron, or what is told of one that is gone."""

    name: str
    status: str
    type: str
    created: str
    finished: str


def crons_in(session: Session, *, everywhere: bool = False) -> list[Found]:
    """Returns the crons, sorted by place and name."""
    try:
        found = session.store.list(CRON, Scope("" if everywhere else session.namespace))
    except NotFoundError as error:
        raise _unknown() from error
    return sorted((Found(CRON, one) for one in found), key=lambda cron: cron.key)


def cron_named(session: Session, name: str) -> Found:
    """Returns the cron of a name; an absent one is told what is near."""
    try:
        return Found(CRON, session.store.get(CRON, ObjectKey(session.namespace, name)))
    except NotFoundError as error:
        if error.kind_is_missing:
            raise _unknown() from error
        hint = did_you_mean(name, _names(session)) or "`corral cron list -A` shows those of all namespaces"
        message = f'there is no cron "{name}" in namespace {session.namespace}'
        raise NotFoundError(message, what=error.what, hint=hint, status=error.status) from error


def _names(session: Session) -> list[str]:
    try:
        return [cron.key.name for cron in crons_in(session)]
    except ForbiddenError:
        return []


def cron_line(cron: Found) -> CronLine:
    """Returns the line of a cron."""
    spec, status = cron.object.get("spec") or {}, status_of(cron.object)
    said = next((one for one in conditions_of(cron.object) if one.get("type") == "Scheduled"), {})
    return CronLine(
        cron.key.namespace,
        cron.key.name,
        str((spec.get("template") or {}).get("kind") or ""),
        str(spec.get("schedule") or ""),
        bool(spec.get("suspend")),
        str(spec.get("deadline") or ""),
        str(spec.get("concurrencyPolicy") or "Allow"),
        str(spec.get("timeZone") or "UTC"),
        str(cron.object["metadata"].get("creationTimestamp") or ""),
        str(status.get("lastScheduleTime") or ""),
        str(status.get("nextScheduleTime") or ""),
        len(status.get("active") or []),
        int(status.get("missed") or 0),
        str(said.get("reason") or "Unknown"),
        "" if said.get("status") == "True" else str(said.get("message") or "no operator has looked at it yet"),
    )


def runs_of(session: Session, cron: Found) -> list[RunLine]:
    """Returns the jobs of a cron, those that go on last."""
    status = status_of(cron.object)
    ended = [
        RunLine(*(str(one.get(field) or "") for field in ("name", "status", "type", "created", "finished")))
        for one in status.get("history") or []
    ]
    return [*ended, *(_going_on(session, cron, one) for one in status.get("active") or [])]


def _going_on(session: Session, cron: Found, run: Object) -> RunLine:
    name, kind = str(run.get("name") or ""), str(run.get("kind") or "")
    group, version = split_api_version(str(run.get("apiVersion") or ""))
    resource = ApiResource(group, version, kind, f"{kind.lower()}s")
    try:
        job = session.store.get(resource, ObjectKey(cron.key.namespace, name))
    except (NotFoundError, ForbiddenError):
        return RunLine(name, "Unknown", kind, "", "")
    return RunLine(name, state_of(job), kind, str(job["metadata"].get("creationTimestamp") or ""), "")


def set_cron_suspended(session: Session, cron: Found, *, suspended: bool) -> None:
    """Suspends or resumes a cron; one that is so already stays so."""

    def decide(obj: Object) -> Object | None:
        is_so = bool((obj.get("spec") or {}).get("suspend")) == suspended
        return None if is_so else {"spec": {"suspend": suspended}}

    change(session, cron, decide)


def make_cron(
    session: Session,
    objects: Sequence[Object],
    *,
    key: str = "",
    dry_run: bool = False,
    on_note: Callable[[str], None],
) -> list[Made]:
    """Makes a cron, which comes first, and everything after it as its own; see `submit_objects`.

    The server is asked first what it would say of the first job: one that it refuses is better told now than at night.
    """
    try_job(session, objects[0], on_note=on_note)
    try:
        return submit_objects(session, CRON, objects, key=key, dry_run=dry_run)
    except AlreadyExistsError as error:
        name = objects[0]["metadata"]["name"]
        if not error.message.startswith(shown_name(CRON, name)):
            raise
        hint = f"choose another name, or `corral cron delete {name}` if it is no longer needed"
        raise AlreadyExistsError(error.message, what=error.what, hint=hint, status=error.status) from error


def try_job(session: Session, cron: Object, *, on_note: Callable[[str], None]) -> None:
    """Raises when the server would refuse the job of a cron; who may not make jobs is only told that it was not tried."""
    from corral.kinds.cron.template import facts_of_template, job_at, resource_of_template

    facts = facts_of_template(cron)
    if facts is None:
        return  # the server says so of the cron itself
    placed = {**cron, "metadata": {"namespace": session.namespace, **cron["metadata"]}}
    options = WriteOptions(dry_run=True, validation="Strict")
    try:
        session.store.create(resource_of_template(cron, facts), job_at(placed, time.time()), options)
    except AlreadyExistsError:
        pass  # a cron of this name has made its job of this minute: the server takes such jobs
    except ForbiddenError:
        on_note(f"whether the API takes such a {facts.kind} may not be tried")
    except NotFoundError as error:
        if not error.kind_is_missing:
            raise
        raise _unknown(facts.kind) from error


def _unknown(kind: str = CRON.kind) -> PermanentError:
    return PermanentError("unknown-kind", f"this API server does not know {kind}", hint=_INSTALL)
