"""The building blocks of a framework's rules: who leads a job, when it runs, when it is done.

Almost every framework says the same sentence with other names: one role leads, and without it another stands in. A job
runs while its leading role does and is done when all of that role is; the rest only helps. A role with no replicas leads
nothing, so that a job scaled to none waits instead of ending at once.
"""

from collections.abc import Callable

from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.framework import RoleTally, Rule, Tally

NOBODY = RoleTally(expected=0)


def leading_role(job: TrainingJob, *roles: str) -> str:
    """Returns the first of these roles of which the job has pods, or "" if it has none of them."""
    return next((role for role in roles if job.count(role)), "")


def labels_leader(*roles: str, stand_in: str = "Worker") -> Callable[[TrainingJob, Place], bool]:
    """Labels every pod of the leading role as master; of the stand-in, whose pods are all alike, only the first."""

    def is_master(job: TrainingJob, place: Place) -> bool:
        if place.role != leading_role(job, *roles, stand_in):
            return False
        return place.role != stand_in or place.index == 0

    return is_master


def any_active(*roles: str) -> Rule:
    """Holds while a pod of the leading role runs."""
    return lambda job, tally: tally_of(tally, leading_role(job, *roles)).active > 0


def any_succeeded(*roles: str) -> Rule:
    """Holds once one pod of the leading role has succeeded."""
    return lambda job, tally: tally_of(tally, leading_role(job, *roles)).succeeded > 0


def all_succeeded(*roles: str) -> Rule:
    """Holds once every pod of the leading role has succeeded."""

    def rule(job: TrainingJob, tally: Tally) -> bool:
        found = tally_of(tally, leading_role(job, *roles))
        return 0 < found.expected <= found.succeeded

    return rule


def tally_of(tally: Tally, role: str) -> RoleTally:
    """Returns how the pods of a role are; nobody is there of a role that the job does not have."""
    return tally.get(role, NOBODY)
