"""What the operator must be allowed to do, as data: from here come the page for readers and the roles of an installation.

A test lets a real operator work, writes down every call it makes, and compares; a right that nothing uses is as wrong as
one that is missing.
"""

from corral.control.rights import Right
from corral.kinds.cron.cron import CRON
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP

_KINDS = tuple(facts.plural for facts in TRAINING_KINDS)
_ENABLED, _MPI = "the kinds that are enabled", "MPIJob is enabled"
_GANGS, _LEASE = "`--gang-scheduler-name`", "`--leader-elect`"

RIGHTS: tuple[Right, ...] = (
    Right(
        GROUP,
        _KINDS,
        ("get", "list", "watch", "create", "delete"),
        _ENABLED,
        "the jobs; create for crons, delete at the end of their time",
    ),
    Right(GROUP, tuple(f"{kind}/status" for kind in _KINDS), ("patch",), _ENABLED, "what became of them"),
    Right(
        GROUP,
        tuple(f"{kind}/finalizers" for kind in _KINDS),
        ("update",),
        _ENABLED,
        "owner references that block deletion",
    ),
    Right(CRON.group, ("crons",), ("get", "list", "watch"), "", "jobs on a schedule"),
    Right(CRON.group, ("crons/status",), ("patch",), "", "what became of them"),
    Right(CRON.group, ("crons/finalizers",), ("update",), "", "owner references that block deletion"),
    Right("", ("pods",), ("get", "list", "watch", "create", "patch", "delete"), "", "the work itself"),
    Right("", ("pods/log",), ("get",), "", "progress of jobs that ask for it"),
    Right("", ("services",), ("get", "list", "watch", "create", "update", "delete"), "", "one name for each pod"),
    Right("", ("events",), ("create", "patch"), "", "telling people"),
    Right("", ("nodes",), ("get", "list", "watch"), "", "pods on lost nodes"),
    Right(
        "autoscaling",
        ("horizontalpodautoscalers",),
        ("get", "list", "watch", "create", "update", "delete"),
        "",
        "elastic PyTorchJobs",
    ),
    Right("coordination.k8s.io", ("leases",), ("get", "create", "update"), _LEASE, "taking turns"),
    Right(
        "",
        ("configmaps", "serviceaccounts"),
        ("get", "list", "watch", "create", "update"),
        _MPI,
        "host files and accounts of launchers",
    ),
    Right("", ("secrets",), ("get", "create"), _MPI, "ssh keys of v2beta1 jobs; never listed or watched"),
    Right("", ("pods/exec",), ("create",), _MPI, "passed on to launchers of v1 jobs: nobody can grant what he has not"),
    Right(
        "rbac.authorization.k8s.io",
        ("roles", "rolebindings"),
        ("get", "list", "watch", "create", "update"),
        _MPI,
        "rights of launchers of v1 jobs",
    ),
    Right("batch", ("jobs",), ("get", "list", "watch", "create", "update"), _MPI, "launchers of v2beta1 jobs"),
    Right("batch", ("jobs/status",), ("patch",), _MPI, "resuming a launcher with a changed template"),
    Right(
        "", ("pods/status",), ("patch",), _MPI, "telling a v2beta1 launcher's Job that its pod is lost with its node"
    ),
    Right(
        "scheduling.volcano.sh",
        ("podgroups",),
        ("get", "list", "watch", "create", "update", "delete"),
        f"{_GANGS} volcano",
        "gangs",
    ),
    Right(
        "scheduling.x-k8s.io",
        ("podgroups",),
        ("get", "list", "watch", "create", "update", "delete"),
        f"{_GANGS}, any other",
        "gangs",
    ),
    Right("scheduling.k8s.io", ("priorityclasses",), ("list", "watch"), _GANGS, "which members of a gang count first"),
)
