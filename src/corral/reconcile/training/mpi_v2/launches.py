"""One launch for each run: what the status remembers of the launcher's Job, and how a run ends whose launcher is gone.

The Job carries the time to live of the MPIJob, as everybody expects, so a cluster may delete it while no operator is
there to read its end. To make it again would train a second time, over the results of the first. So the status remembers
the Job from the first time it is seen until it is seen suspended, and a launcher that went without a word ends the job.
"""

from corral.kinds.objects import uid_of
from corral.kinds.training.status import Failure, JobStatus, Launch
from corral.reconcile.frameworks.mpi import LAUNCHER, launcher_name
from corral.reconcile.moments import seconds_of, stamp_of
from corral.reconcile.training.conditions import RUNNING, holds
from corral.reconcile.training.mpi_v2.launcher import Verdict, launcher_of
from corral.reconcile.training.sight import Sight

MISSING_GRACE = 30.0
"""So long a launcher must be missing before that ends the job: what an operator sees of Jobs may be older than the status."""

GONE = "LauncherDeleted"


def was_launched(status: JobStatus) -> bool:
    """Whether the present run has a launcher; one that runs has, also by the words of another operator."""
    return status.launcher is not None or holds(status.conditions, RUNNING)


def is_missing(sight: Sight) -> bool:
    """Whether the launcher of this run is gone."""
    return launcher_of(sight) is None and was_launched(sight.status)


def launch_of(sight: Sight) -> Launch | None:
    """Returns what is to be remembered; a launcher that waits suspended with its job ends the run that it launched."""
    held, known = launcher_of(sight), sight.status.launcher
    if held is None:
        if not was_launched(sight.status):
            return None
        since = known.missing_since if known else None
        return Launch(uid=known.uid if known else "", missing_since=since or stamp_of(sight.now))
    if sight.job.run_policy.suspend and held["spec"].get("suspend"):
        return None
    return Launch(uid=uid_of(held))


def end_of_missing(sight: Sight, launch: Launch | None) -> Verdict | None:
    """Returns how a run ended whose launcher is gone, None as long as there may be more to learn."""
    if launch is None or launch.missing_since is None:
        return None
    pods = sight.world.launcher_pods
    now = stamp_of(sight.now)
    if any(pod.phase == "Succeeded" for pod in pods):
        return Verdict(True, "", "", now)
    if any(not pod.is_finished and not sight.has_lost(pod) for pod in pods) or _seconds_left(sight, launch) > 0:
        return None
    return Verdict(False, GONE, _message(sight), now)


def failure_of_missing(sight: Sight, launch: Launch) -> Failure:
    """Returns what is written down about a launcher that went without a word."""
    return Failure(
        class_="unknown",
        time=stamp_of(sight.now),
        role=LAUNCHER,
        pod=launcher_name(sight.job),
        pod_uid=launch.uid,
        reason=GONE,
        message="the launcher Job was deleted before its end was read",
    )


def seconds_to_end(sight: Sight, launch: Launch | None) -> float | None:
    """Returns in how many seconds a missing launcher is given up, if one is missing."""
    if launch is None or launch.missing_since is None:
        return None
    left = _seconds_left(sight, launch)
    return left if left > 0 else None


def _seconds_left(sight: Sight, launch: Launch) -> float:
    since = seconds_of(launch.missing_since)
    return (sight.now if since is None else since) + MISSING_GRACE - sight.now


def _message(sight: Sight) -> str:
    return (
        f"The launcher Job {launcher_name(sight.job)} was deleted before its end was read: whether the training was done "
        "is not known. It is not launched a second time; to run it again, submit the MPIJob anew."
    )
