"""What was promised and is not settled: the life of a decision, from the moment it is made until nobody need remember it. Pure.

    decided ── written to the ledger ──> promised ── bind ──> bound ─┐
                                            │                        ├─ all of the gang ──> closed, leaves the ledger
                                            └─ gone, taken back ─────┘

The decisions of a gang are one group: they enter the ledger with one write, and leave it together when the gang is whole, or when
nothing of it is bound. So whoever takes over finds either nothing of a gang or all of it, and finishes, or takes all of it back.

What keeps a place from being given twice, whoever dies or sleeps at whatever moment:

1. A decision is written with the epoch before any bind is sent, by compare-and-swap. Who begins raises the epoch first, so that
   nobody who began earlier can promise anything any more.
2. A bind names the uid of its pod and a version of it that was seen before the epoch was last found to be our own. To take a promise
   back, the pod is changed first, after the epoch was raised: binds that are still on their way then fail.
3. Whoever takes over lists the pods after it has raised the epoch. What was bound is in that list; what was promised is in the ledger.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from corral.kinds.scheduling.ledger import Decision, Ledger


class State(Enum):
    """How far a decision is."""

    PROMISED = "promised"
    BOUND = "bound"
    ENDED = "ended"
    """It was bound, and its pod is over or no more."""
    GONE = "gone"
    """It was never bound: its pod is no more, or its place was taken back."""


class Judgement(Enum):
    """What became of a write to the ledger that met another state than it was based on."""

    LANDED = "landed"
    """It was our own, whose answer was lost."""
    AGAIN = "again"
    """Somebody changed something else about the object."""
    LOST = "lost"
    """Somebody has raised the epoch: we may promise nothing any more."""


def raised(found: Ledger, holder: str) -> Ledger:
    """Returns the ledger of whoever begins: a new epoch, and everything that was promised before."""
    return found._replace(epoch=found.epoch + 1, holder=holder)


def judged(wanted: Ledger, found: Ledger) -> Judgement:
    """Returns what a ledger that was found in place of the expected one means for the write of `wanted`."""
    if (found.epoch, found.holder) != (wanted.epoch, wanted.holder):
        return Judgement.LOST
    return Judgement.LANDED if found == wanted else Judgement.AGAIN


class PodNow(NamedTuple):
    """What the server says of a pod: where it is bound, if it is, and whether it is going."""

    uid: str
    node: str = ""
    is_leaving: bool = False
    """Whether it is being deleted or has ended: it can be bound no more."""


def state_now(decision: Decision, pod: PodNow | None) -> State:
    """Returns how far a decision is by what the server says of its pod."""
    if pod is None or pod.uid != decision.uid:
        return State.GONE
    if pod.node:
        return State.BOUND
    return State.GONE if pod.is_leaving else State.PROMISED


class Group:
    """The decisions of one gang, or of a pod that is alone."""

    def __init__(self) -> None:
        self.decisions: dict[str, Decision] = {}
        self.states: dict[str, State] = {}

    @property
    def is_settled(self) -> bool:
        """Whether nothing of it is on its way."""
        return State.PROMISED not in self.states.values()

    @property
    def is_undone(self) -> bool:
        """Whether it is being taken back."""
        return any(one.is_undone for one in self.decisions.values())

    @property
    def bound(self) -> tuple[str, ...]:
        """Returns the uids of what is bound of it."""
        return tuple(uid for uid, state in self.states.items() if state is State.BOUND)

    @property
    def reached(self) -> int:
        """Returns how many of it were bound at any time."""
        return sum(state in (State.BOUND, State.ENDED) for state in self.states.values())


class Promises:
    """All groups that are not closed."""

    def __init__(self) -> None:
        self._groups: dict[str, Group] = {}
        self._group_of: dict[str, str] = {}

    def __contains__(self, uid: str) -> bool:
        return uid in self._group_of

    def __len__(self) -> int:
        return len(self._group_of)

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Yields every group with its name."""
        return iter(list(self._groups.items()))

    def group(self, name: str) -> Group | None:
        """Returns a group, None when nothing of it is remembered."""
        return self._groups.get(name)

    def decision(self, uid: str) -> Decision | None:
        """Returns the decision about a pod."""
        name = self._group_of.get(uid)
        return None if name is None else self._groups[name].decisions[uid]

    def state(self, uid: str) -> State | None:
        """Returns how far the decision about a pod is; None when there is none."""
        name = self._group_of.get(uid)
        return None if name is None else self._groups[name].states[uid]

    def add(self, decisions: Iterable[Decision]) -> None:
        """Notes decisions; those of a gang join what is remembered of it."""
        for one in decisions:
            name = group_name(one)
            group = self._groups.setdefault(name, Group())
            self._group_of[one.uid] = name
            group.decisions[one.uid] = one
            group.states[one.uid] = State.PROMISED

    def settle(self, uid: str, state: State) -> None:
        """Notes how far a decision is; what is not remembered is no concern."""
        name = self._group_of.get(uid)
        if name is not None:
            states = self._groups[name].states
            was_bound = states[uid] in (State.BOUND, State.ENDED)
            states[uid] = State.ENDED if was_bound and state is State.GONE else state

    def undo(self, name: str) -> None:
        """Marks a group as being taken back; with the next write to the ledger this is a promise as well."""
        group = self._groups[name]
        group.decisions = {uid: one._replace(is_undone=True) for uid, one in group.decisions.items()}

    def takes_more(self, name: str) -> bool:
        """Whether fresh decisions may join a group: while it is taken back they would be taken back with it, or never be forgotten."""
        group = self._groups.get(name)
        return group is None or not group.is_undone

    def close(self, name: str) -> None:
        """Forgets a group; the next write to the ledger will be without it."""
        group = self._groups.pop(name, None)
        if group is not None:
            for uid in group.decisions:
                del self._group_of[uid]

    def rows(self) -> tuple[Decision, ...]:
        """Returns everything that must stand in the ledger."""
        return tuple(one for group in self._groups.values() for one in group.decisions.values())


def group_name(decision: Decision) -> str:
    """Returns the group of a decision: its gang, or the pod itself when it is alone."""
    return decision.gang or decision.uid


def can_close(group: Group, *, is_whole: bool) -> bool:
    """Whether a group need not be remembered: nothing is on its way, and its gang is whole or nothing of it is bound."""
    return group.is_settled and (not group.bound or (is_whole and not group.is_undone))
