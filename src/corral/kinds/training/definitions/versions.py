"""Under which versions each kind is served.

Objects of all versions rest as v1 and are never converted: all versions of a kind have one schema, so nothing that was
written through one is lost on the way through another. They differ in defaults only.
"""

from dataclasses import dataclass

from corral.kinds.training.early_dialects import EARLY_VERSIONS
from corral.kinds.training.facts import GROUP, KindFacts
from corral.kinds.training.mpi import MPI_JOB

STORED_VERSION = "v1"

_EQUAL_VERSIONS: dict[str, tuple[str, ...]] = {MPI_JOB.kind: ("v2beta1",)}


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """One version under which a kind is served."""

    name: str
    warning: str = ""
    """What clients that still use it are told."""

    @property
    def is_stored(self) -> bool:
        """Whether objects rest in this version."""
        return self.name == STORED_VERSION


def versions_of(facts: KindFacts) -> list[ServedVersion]:
    """Returns the versions of a kind, the stored one first."""
    current = [ServedVersion(name) for name in (STORED_VERSION, *_EQUAL_VERSIONS.get(facts.kind, ()))]
    return current + [ServedVersion(name, _warning(facts, name)) for name in EARLY_VERSIONS.get(facts.kind, ())]


def _warning(facts: KindFacts, version: str) -> str:
    newer = f"{GROUP}/{STORED_VERSION}"
    return f"{GROUP}/{version} {facts.kind} is read as {newer}; write apiVersion: {newer}"
