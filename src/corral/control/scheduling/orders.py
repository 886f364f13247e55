"""What a scheduler is told to do: whose pods, which nodes, and where its ledger is."""

from collections.abc import Callable
from typing import Final, NamedTuple

from corral.kinds.nodes import FAKE_NODE
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.names import OUR_NAMES
from corral.kinds.scheduling.pod_view import SchedulingNode
from corral.placement.admission.cycle import Terms
from corral.placement.certificates.certificate import Certificate

LEDGER_NAME: Final = "corral-scheduler-ledger"
COMPONENT: Final = "corral-scheduler"


class Orders(NamedTuple):
    """What the command line, or the engine of one machine, asks for."""

    names: frozenset[str] = OUR_NAMES
    """Whose pods are bound, by `spec.schedulerName`."""
    is_used: Callable[[SchedulingNode], bool] = lambda _: True
    """Which nodes may be used."""
    namespace: str = "kube-system"
    """Where the ledger is."""
    shard: str = ""
    """The name of this scheduler among several that share the pods of a cluster; each has a ledger of its own."""
    terms: Terms = Terms()
    """What may be asked of gangs that run, and how often."""
    on_certificate: Callable[[Certificate], None] = lambda _: None
    """Told of every admission, in order, before it is written to the ledger."""

    @property
    def lease_name(self) -> str:
        """Returns the name of the lease by which copies of this scheduler take turns."""
        return f"{COMPONENT}-{self.shard}" if self.shard else COMPONENT

    @property
    def ledger(self) -> ObjectKey:
        """Returns where the ledger is."""
        return ObjectKey(self.namespace, f"{LEDGER_NAME}-{self.shard}" if self.shard else LEDGER_NAME)


def names_of_one_machine() -> frozenset[str]:
    """Returns the names that are served where nobody else schedules: the usual one, and those of gang schedulers."""
    return OUR_NAMES | {
        "default-scheduler",
        "volcano",
        "scheduler-plugins-scheduler",
        "kai-scheduler",
        "koord-scheduler",
    }


def without_departed(fakes: frozenset[str]) -> Callable[[SchedulingNode], bool]:
    """Returns which nodes may be used when only some of the fake ones stay."""
    return lambda node: node.metadata.labels.get(FAKE_NODE) != "true" or node.metadata.name in fakes
