"""The ledger of a scheduler: one small object with everything that was promised and is not settled, written before any bind.

Its object is a ConfigMap, because every server has those and people can read one. What is in it is one row for each decision; a
gang's rows come and go together.

    epoch       whose promises count: each scheduler that begins raises it
    holder      who raised it last, for people
    decisions   [["uid", "namespace/name", "node", [0, 1], "gang", ""], ...]
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey

EPOCH: Final = "epoch"
HOLDER: Final = "holder"
DECISIONS: Final = "decisions"
MOST_DECISIONS: Final = 5000
"""More would not fit into an object of a server, which takes a megabyte."""
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

    def without(self, uids: Iterable[str]) -> "Ledger":
        """Returns the ledger without what is settled."""
        gone = frozenset(uids)
        return self._replace(decisions=tuple(one for one in self.decisions if one.uid not in gone))

    def with_decisions(self, decisions: Iterable[Decision]) -> "Ledger":
        """Returns the ledger with more decisions; one about the same pod is replaced."""
        fresh = {one.uid: one for one in decisions}
        return self._replace(decisions=(*self.without(fresh).decisions, *fresh.values()))


_ROWS = msgspec.json.Decoder(list[tuple[str, str, str, list[int], str, str]])


def ledger_of(obj: Object) -> Ledger:
    """Returns what a ledger object says; one that says something else is refused, never taken for empty."""
    data = obj.get("data") or {}
    try:
        rows = _ROWS.decode(data.get(DECISIONS) or "[]")
        return Ledger(int(data.get(EPOCH) or 0), data.get(HOLDER, ""), tuple(_decision(row) for row in rows))
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
    return {**blank, "data": data}


def _row(one: Decision) -> list[Any]:
    undo = UNDO if one.is_undone else ""
    return [one.uid, str(one.key), one.node, one.devices, one.gang, undo]


def _decision(row: tuple[str, str, str, list[int], str, str]) -> Decision:
    uid, key, node, devices, gang, undo = row
    namespace, _, name = key.partition("/")
    return Decision(uid, ObjectKey(namespace, name), node, tuple(devices), gang, undo == UNDO)
