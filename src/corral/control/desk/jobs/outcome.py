"""With which code a training ended, for whoever passes it on."""

from corral.control.desk.jobs.lines import status_of
from corral.control.desk.jobs.looking import pods_in
from corral.control.desk.jobs.members import ended_container
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.ports.refusals import NotFoundError


def exit_code_of(session: Session, job: Found) -> int | None:
    """Returns the exit code of the pod whose failure was the job's, as far as anybody knows it."""
    try:
        failures = status_of(session.store.get(job.resource, job.key)).get("failures") or []
    except NotFoundError:
        failures = []
    told = [one["exitCode"] for one in failures if one.get("exitCode")]
    if told:
        return int(told[-1])
    # Another operator than ours tells no failures; then the pods that are still there do.
    ends = [end for pod in pods_in(session.store, job.pods) if (end := ended_container(pod)) is not None]
    return next((end.exit_code for _, end in ends if end.exit_code), None)
