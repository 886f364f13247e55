"""What the scheduler must be allowed to do, as data: from here come the page for readers and the roles of an installation.

A right that nothing uses is as wrong as one that is missing.
"""

from corral.control.rights import Right
from corral.control.scheduling.dialects.gang_words import PLUGINS_PODGROUP, VOLCANO_PODGROUP
from corral.kinds.queues.queue import QUEUE
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP

_JOBS = tuple(facts.plural for facts in TRAINING_KINDS)
_LEASE = "`--leader-elect`"
_VOLCANO, _PLUGINS = "Volcano's kinds are installed", "the kind of scheduler-plugins is installed"
_QUEUES, _MOVES = "Queue is installed", "jobs move, grow or shrink"

RIGHTS: tuple[Right, ...] = (
    Right("", ("nodes",), ("list", "watch"), "", "where there is room"),
    Right(
        "",
        ("pods",),
        ("get", "list", "watch", "patch", "delete"),
        "",
        "who waits and who holds what; patch takes a placement back, delete makes room",
    ),
    Right("", ("pods/binding",), ("create",), "", "placing them"),
    Right("", ("pods/status",), ("patch",), "", "why they wait, and that they are taken away"),
    Right("", ("events",), ("create", "patch"), "", "telling people"),
    Right("", ("configmaps",), ("get", "create", "update"), "", "the ledger, in the scheduler's own namespace"),
    Right("", ("persistentvolumes",), ("list", "watch"), "", "from which nodes the volumes of pods can be reached"),
    Right(
        "",
        ("persistentvolumeclaims",),
        ("list", "watch", "patch"),
        "",
        "which volumes pods have; patch tells a provisioner on which node the first pod of a claim will run",
    ),
    Right("storage.k8s.io", ("storageclasses",), ("list", "watch"), "", "which volumes are made for their first pod"),
    Right("", ("resourcequotas",), ("list", "watch"), "", "whether a namespace may have more pods, before a job grows"),
    Right("coordination.k8s.io", ("leases",), ("get", "create", "update"), _LEASE, "taking turns, in its namespace"),
    Right(
        "apiextensions.k8s.io",
        ("customresourcedefinitions",),
        ("list", "watch"),
        "",
        "which kinds of queues and groups are installed",
    ),
    Right(QUEUE.group, (QUEUE.plural,), ("list", "watch"), _QUEUES, "what teams may have together"),
    Right(QUEUE.group, (f"{QUEUE.plural}/status",), ("patch",), _QUEUES, "what they have, and who waits"),
    Right(VOLCANO_PODGROUP.group, ("queues",), ("list", "watch"), _VOLCANO, "the same, in Volcano's words"),
    Right(VOLCANO_PODGROUP.group, ("podgroups",), ("list", "watch"), _VOLCANO, "how many pods start together"),
    Right(VOLCANO_PODGROUP.group, ("podgroups/status",), ("patch",), _VOLCANO, "how far they are"),
    Right(PLUGINS_PODGROUP.group, ("podgroups",), ("list", "watch"), _PLUGINS, "how many pods start together"),
    Right(PLUGINS_PODGROUP.group, ("podgroups/status",), ("patch",), _PLUGINS, "how far they are"),
    Right(
        GROUP, _JOBS, ("get", "patch"), _MOVES, "to suspend and resume them, and to change how many workers they have"
    ),
    Right("batch", ("jobs",), ("get", "patch"), _MOVES, "the same for Jobs"),
)
