"""Everything that is wrong with a cron, also what no server can tell when it takes one."""

import msgspec
from msgspec.structs import replace

from corral.kinds.cron.cron import CronSpec
from corral.kinds.cron.judgement import rule_errors_of
from corral.kinds.cron.template import facts_of_template, job_at
from corral.kinds.cron.timetable import faults_in
from corral.kinds.objects import Object
from corral.kinds.training.mpi import IMPLEMENTATIONS, MPI_JOB, MPI_JOB_V2
from corral.kinds.training.reading import UnreadableJobError, read_job
from corral.kinds.training.validation import errors_of as errors_of_job
from corral.kinds.training.validation.field_error import FieldError, forbidden, invalid

_SOME_TIME = 30_000_000 * 60.0
"""A time whose minute has as many digits as those of this century."""


class UnreadableCronError(ValueError):
    """The spec is not of the shape of its kind; a server with our definition does not let such a cron in."""


def read_spec(obj: Object) -> CronSpec:
    """Returns the spec of a cron, with every default."""
    try:
        return msgspec.convert(obj.get("spec") or {}, CronSpec)
    except msgspec.ValidationError as error:
        raise UnreadableCronError(str(error)) from error


def errors_of(obj: Object, *, knows_zone: bool = True) -> list[FieldError]:
    """Returns all that is wrong with a cron; whether its time zone is known must be said, since zones live on disks."""
    found = rule_errors_of(obj)
    told = {error.path for error in found}
    schedule, zone = obj["spec"]["schedule"], obj["spec"].get("timeZone")
    if "spec.schedule" not in told:
        found += [invalid("spec.schedule", schedule, fault) for fault in faults_in(schedule)]
    if not knows_zone and "spec.timeZone" not in told:
        found.append(invalid("spec.timeZone", zone, "is not a known time zone"))
    return found if facts_of_template(obj) is None else [*found, *_errors_in_template(obj)]


def _errors_in_template(cron: Object) -> list[FieldError]:
    """Returns what is wrong with the jobs; a server judges each again when it is made."""
    job = _with_dialect(job_at(cron, _SOME_TIME))
    try:
        read_job(job)
    except UnreadableJobError as error:
        return [forbidden("spec.template.spec", str(error))]
    return [
        error if error.path == "metadata.name" else replace(error, path=f"spec.template.{error.path}")
        for error in errors_of_job(job)
    ]


def _with_dialect(job: Object) -> Object:
    """Returns an MPIJob with the field that a server would fill in for its version, and that tells the dialects apart."""
    if job["kind"] != MPI_JOB.kind or not job["apiVersion"].endswith(f"/{MPI_JOB_V2.version}"):
        return job
    return {**job, "spec": {"mpiImplementation": IMPLEMENTATIONS[0], **job["spec"]}}
