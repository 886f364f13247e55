"""What a scheduler has asked of a gang that runs: to go, to move, to have more pods or fewer; and what is remembered of it after.

Both stand in the ledger: a concession from before anything is done about it until its pods are gone, what is past for as long as the
gang may come back.
"""

from enum import Enum
from typing import NamedTuple

from corral.kinds.references import ApiResource, ObjectKey


class Verb(Enum):
    """What a gang is asked to do."""

    EVICT = "evict"
    """All of its pods go; whoever made them makes them anew, and they wait."""
    MOVE = "move"
    """Its job is suspended, and resumed as soon as its pods are gone."""
    RESIZE = "resize"
    """Its job is told another number of pods."""


class JobName(NamedTuple):
    """The object that made the pods of a gang; its uid tells it from others that had its name."""

    resource: ApiResource
    key: ObjectKey
    uid: str


class Leaver(NamedTuple):
    """A pod that is to go."""

    uid: str
    key: ObjectKey


class Concession(NamedTuple):
    """One gang and what it was asked to do."""

    verb: Verb
    gang: str
    reason: str
    """`preempted`, `reclaimed`, `moved`, `shrunk` or `grown`."""
    sentence: str
    """For whom, for people."""
    beneficiary: str = ""
    """The gang for which room is made; "" when it grows."""
    pods: tuple[Leaver, ...] = ()
    """The pods that go."""
    job: JobName | None = None
    was: int = 0
    becomes: int = 0
    """How many pods it had, and how many it is to have."""

    @property
    def takes_all(self) -> bool:
        """Whether the whole gang goes, so that nothing of it may start before all of it is gone."""
        return self.verb is not Verb.RESIZE


class Past(NamedTuple):
    """What is remembered of a gang that had to give way, so that it comes back as old as it was."""

    name: str
    """That of its gang, or of the pod when it is alone."""
    owner: str
    """The uid of whoever made its pods: another one of the same name has no past."""
    arrived: float
    """When it first asked for its place."""
    evictions: int
    """How often it had to give way."""
    seen: float
    """When that was the last time."""
