"""What the training operator is told to do: which kinds, where, and how decisions are set."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from corral.errors import PermanentError
from corral.kinds.references import ApiResource
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.mpi import MPI_JOB
from corral.ports.discovery import Discovery
from corral.reconcile.training.gangs import POD_GROUPS
from corral.reconcile.training.world import Settings


@dataclass(frozen=True, slots=True)
class Orders:
    """One operator, as its command line describes it."""

    kinds: tuple[KindFacts, ...] = TRAINING_KINDS
    namespace: str = ""
    """The only namespace to look at; all when empty."""
    settings: Settings = field(default_factory=Settings)
    workers: int = 16
    """Jobs of one kind that are looked at at the same time; more than can be written for would only wait."""
    parallel: int = 16
    """Writes for jobs of one kind that are under way at the same time."""

    @property
    def has_mpi(self) -> bool:
        """Whether MPIJobs are looked after, which need more than pods and services."""
        return any(facts.kind == MPI_JOB.kind for facts in self.kinds)

    @property
    def pod_groups(self) -> ApiResource | None:
        """Returns the resource by which gangs are announced, if any."""
        return POD_GROUPS.get(self.settings.gangs.dialect)


def chosen_kinds(words: Iterable[str]) -> tuple[KindFacts, ...]:
    """Returns the kinds that words such as `TFJob`, `tfjob` or `tfjobs` name; all when there is no word."""
    asked = {word.strip().lower() for word in words if word.strip()}
    known = {name: facts for facts in TRAINING_KINDS for name in (facts.singular, facts.plural)}
    if unknown := asked - known.keys():
        hint = f"known kinds: {', '.join(facts.kind for facts in TRAINING_KINDS)}"
        raise PermanentError("unknown-kind", f"there is no training kind {', '.join(sorted(unknown))}", hint=hint)
    wanted = {known[word].kind for word in asked}
    return tuple(facts for facts in TRAINING_KINDS if not wanted or facts.kind in wanted)


async def refuse_missing_gang_kind(discovery: Discovery, orders: Orders) -> None:
    """Raises when gangs shall be announced and the server does not know the kind for it."""
    wanted = orders.pod_groups
    if wanted is None:
        return
    catalogue = await discovery.catalogue(refresh=True)
    if all(entry.resource != wanted for entry in catalogue.served):
        name = orders.settings.gangs.scheduler_name
        message = f"gangs for the scheduler {name} need {wanted.kind} of {wanted.api_version}, which is not installed"
        hint = f"install {name} first, or leave --gang-scheduler-name out"
        raise PermanentError("no-gang-kind", message, hint=hint)
