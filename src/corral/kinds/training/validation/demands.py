"""What single kinds demand of their roles, as data: the rules are the same for all, this says where they apply."""

import msgspec

from corral.kinds.training.facts import KindFacts


class Demands(msgspec.Struct, frozen=True):
    """What one kind asks for."""

    needs: tuple[str, ...] = ()
    """Roles that must be there."""
    single: tuple[str, ...] = ()
    """Roles that must say that they have exactly one replica."""
    never_empty: tuple[str, ...] = ()
    """Roles that must not have zero replicas."""
    only_one_of: tuple[str, ...] = ()
    """Roles of which a job may have one only."""
    is_elastic: bool = False
    """Whether there is an elastic policy."""
    is_rendezvous: bool = False
    """Whether the elastic policy says how workers find each other."""
    is_refused: bool = True
    """Whether a server refuses a wrong job; the operator itself answers otherwise, as Kubeflow's does for MPIJob."""


_BY_KIND = {
    "TFJob": Demands(only_one_of=("Chief", "Master")),
    "PyTorchJob": Demands(single=("Master",), never_empty=("Worker",), is_elastic=True, is_rendezvous=True),
    "XGBoostJob": Demands(needs=("Master",), single=("Master",)),
    "PaddleJob": Demands(is_elastic=True),
    "JAXJob": Demands(),
    "MXJob": Demands(only_one_of=("Scheduler",)),
    "MPIJob": Demands(is_refused=False),
}


def demands_of(facts: KindFacts) -> Demands:
    """Returns what a kind demands; one that is not listed demands nothing beyond its facts."""
    return _BY_KIND.get(facts.kind, Demands())
