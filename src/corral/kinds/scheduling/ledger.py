"""The ledger of a scheduler: one small object with everything that was promised and is not settled, written before any bind.

Its object is a ConfigMap, because every server has those and people can read one. What is in it is one row for each decision; a
gang's rows come and go together.

    epoch       whose promises count: each scheduler that begins raises it
    holder      who raised it last, for people
    names       ["", "ns", "node-1", "ns/train", ...]: what many decisions have in common is written once
    decisions   [["uid", 1, "name", 2, [0, 1], 3, ""], ...]: uid, namespace, pod, node, GPUs, gang, and whether it is being taken back
    concessions what gangs that run were asked to do for others, until it is done
    pasts       when gangs that had to give way first asked, and how often they gave way
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.concession import Concession, Past

EPOCH: Final = "epoch"
HOLDER: Final = "holder"
DECISIONS: Final = "decisions"
CONCESSIONS: Final = "concessions"
PASTS: Final = "pasts"
NAMES: Final = "names"
MOST_BYTES: Final = 1_000_000
"""More does not fit into an object of a server, which takes 2**20."""
MOST_LEAVERS: Final = 2500
"""So many pods may be named in concessions at a time; a gang of more is taken on when it is the only one."""
MOST_PASTS: Final = 1000
"""Of so many gangs it is remembered that they gave way; those that did so longest ago are forgotten first."""
UNDO: Final = "undo"


class Decision(NamedTuple):
    """One pod and the place that was promised to it."""

    uid: str
    key: ObjectKey
    node: str
    devices: tuple[int, ...] = ()
    gang: str = ""
    is_undone: bool = False
    """Whether the promise is being taken back: what was bound of the gang is to go."""


class Ledger(NamedTuple):
    """Everything that was promised and is not settled."""

    epoch: int = 0
    holder: str = ""
    decisions: tuple[Decision, ...] = ()
    concessions: tuple[Concession, ...] = ()
    pasts: tuple[Past, ...] = ()

    def without(self, uids: Iterable[str]) -> "Ledger":
        """Returns the ledger without what is settled."""
        gone = frozenset(uids)
        return self._replace(decisions=tuple(one for one in self.decisions if one.uid not in gone))

    def with_decisions(self, decisions: Iterable[Decision]) -> "Ledger":
        """Returns the ledger with more decisions; one about the same pod is replaced."""
        fresh = {one.uid: one for one in decisions}
        return self._replace(decisions=(*self.without(fresh).decisions, *fresh.values()))


_ROWS = msgspec.json.Decoder(list[tuple[str, int, str, int, list[int], int, str]])
_PLAIN_ROWS = msgspec.json.Decoder(list[tuple[str, str, str, list[int], str, str]])
"""As they were written before names had a list of their own."""
_NAMES = msgspec.json.Decoder(list[str])
_CONCESSIONS = msgspec.json.Decoder(tuple[Concession, ...])
_PASTS = msgspec.json.Decoder(tuple[Past, ...])


def ledger_of(obj: Object) -> Ledger:
    """Returns what a ledger object says; one that says something else is refused, never taken for empty."""
    data = obj.get("data") or {}
    try:
        return Ledger(
            int(data.get(EPOCH) or 0),
            data.get(HOLDER, ""),
            tuple(_decisions_of(data)),
            _CONCESSIONS.decode(data.get(CONCESSIONS) or "[]"),
            _PASTS.decode(data.get(PASTS) or "[]"),
        )
    except (msgspec.MsgspecError, ValueError, IndexError) as error:
        name = "/".join(str(obj["metadata"].get(part, "")) for part in ("namespace", "name"))
        hint = f"look at it with `kubectl get configmap -n {name.replace('/', ' ')} -o yaml`; without it a scheduler begins anew"
        raise PermanentError("bad-ledger", f"the ledger {name} cannot be read: {error}", hint=hint) from error


def object_of(ledger: Ledger, blank: Object) -> Object:
    """Returns an object that says this, in place of what `blank` says."""
    data = {EPOCH: str(ledger.epoch), HOLDER: ledger.holder, **_written(ledger.decisions)}
    for name, rows in ((CONCESSIONS, ledger.concessions), (PASTS, ledger.pasts)):
        if rows:
            data[name] = msgspec.json.encode(rows).decode()
    return {**blank, "data": data}


def size_of(decisions: Iterable[Decision]) -> int:
    """Returns how many bytes decisions take in the object, more rather than less."""
    return sum(len(text) for text in _written(decisions).values())


def _written(decisions: Iterable[Decision]) -> dict[str, str]:
    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(name, len(numbers))

    rows = [
        (
            one.uid,
            number(one.key.namespace),
            one.key.name,
            number(one.node),
            one.devices,
            number(one.gang),
            UNDO if one.is_undone else "",
        )
        for one in decisions
    ]
    return {
        NAMES: msgspec.json.encode(list(numbers)).decode(),
        DECISIONS: msgspec.json.encode(rows).decode(),
    }


def _decisions_of(data: Mapping[str, str]) -> Iterator[Decision]:
    rows = data.get(DECISIONS) or "[]"
    if NAMES not in data:
        for uid, key, node, devices, gang, undo in _PLAIN_ROWS.decode(rows):
            namespace, _, name = key.partition("/")
            yield Decision(uid, ObjectKey(namespace, name), node, tuple(devices), gang, undo == UNDO)
        return
    names = _NAMES.decode(data[NAMES])
    for uid, space, name, place, devices, group, undo in _ROWS.decode(rows):
        if min(space, place, group) < 0:
            raise ValueError("a number of a name is below zero")
        yield Decision(uid, ObjectKey(names[space], name), names[place], tuple(devices), names[group], undo == UNDO)
