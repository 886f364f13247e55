"""The ledger of a scheduler: one small object with everything that was promised and is not settled, written before any bind.

Its object is a ConfigMap, because every server has those and people can read one. What is in it is one row for each decision; a
gang's rows come and go together.

    epoch       whose promises count: each scheduler that begins raises it
    holder      who raised it last, for people
    decisions   [["uid", "namespace/name", "node", [0, 1], "gang", ""], ...]
    concessions what gangs that run were asked to do for others, until it is done
    pasts       when gangs that had to give way first asked, and how often they gave way
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

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
MOST_DECISIONS: Final = 5000
"""More would not fit into an object of a server, which takes a megabyte."""
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


_ROWS = msgspec.json.Decoder(list[tuple[str, str, str, list[int], str, str]])
_CONCESSIONS = msgspec.json.Decoder(tuple[Concession, ...])
_PASTS = msgspec.json.Decoder(tuple[Past, ...])


def ledger_of(obj: Object) -> Ledger:
    """Returns what a ledger object says; one that says something else is refused, never taken for empty."""
    data = obj.get("data") or {}
    try:
        rows = _ROWS.decode(data.get(DECISIONS) or "[]")
        return Ledger(
            int(data.get(EPOCH) or 0),
            data.get(HOLDER, ""),
            tuple(_decision(row) for row in rows),
            _CONCESSIONS.decode(data.get(CONCESSIONS) or "[]"),
            _PASTS.decode(data.get(PASTS) or "[]"),
        )
    except (msgspec.MsgspecError, ValueError) as error:
        name = "/".join(str(obj["metadata"].get(part, "")) for part in ("namespace", "name"))
        hint = f"look at it with `kubectl get configmap -n {name.replace('/', ' ')} -o yaml`; without it a scheduler begins anew"
        raise PermanentError("bad-ledger", f"the ledger {name} cannot be read: {error}", hint=hint) from error


def object_of(ledger: Ledger, blank: Object) -> Object:
    """Returns an object that says this, in place of what `blank` says."""
    data = {
        EPOCH: str(ledger.epoch),
        HOLDER: ledger.holder,
        DECISIONS: msgspec.json.encode([_row(one) for one in ledger.decisions]).decode(),
    }
    for name, rows in ((CONCESSIONS, ledger.concessions), (PASTS, ledger.pasts)):
        if rows:
            data[name] = msgspec.json.encode(rows).decode()
    return {**blank, "data": data}


def _row(one: Decision) -> list[Any]:
    undo = UNDO if one.is_undone else ""
    return [one.uid, str(one.key), one.node, one.devices, one.gang, undo]


def _decision(row: tuple[str, str, str, list[int], str, str]) -> Decision:
    uid, key, node, devices, gang, undo = row
    namespace, _, name = key.partition("/")
    return Decision(uid, ObjectKey(namespace, name), node, tuple(devices), gang, undo == UNDO)
