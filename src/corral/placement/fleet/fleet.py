"""The fleet: nodes, what is held on them, and what is left; every change can be undone.

Holds belong to names of nodes, not to rows: one on a node that is not there waits for it, and a node that is replaced keeps its own.
`changes` tells followers which rows to look at again; they keep a position in it and nothing else.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import NamedTuple, TypeVar, cast

import numpy as np

from corral.placement.asks import Neighbours, PodAsk, Seat
from corral.placement.fleet.changes import Changes
from corral.placement.fleet.columns import HUGE, Bools, Columns, Ints
from corral.placement.fleet.drafts import Draft, UndoLog
from corral.placement.fleet.levels import domains_of
from corral.placement.fleet.neighbours import APART, beside, is_choosy, kept_away
from corral.placement.fleet.rules import RuleSet
from corral.placement.fleet.shares import fitting, taken_memory, taken_milli
from corral.placement.fleet.wiring import Matrix
from corral.placement.offers import NodeOffer

Kept = TypeVar("Kept")

_MOST_KEPT = 512
"""A table for each class of pods that is asked about; at 10,000 nodes each takes some 100 kB."""


class Hold(NamedTuple):
    """What one pod takes: where, what it asked, and on which GPUs it counts."""

    seat: Seat
    ask: PodAsk
    devices: tuple[int, ...]
    """Those of the seat, or those that were guessed when it named none."""


class Fleet:
    """All nodes and all holds; `columns` has what is left as arrays."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.columns = Columns()
        self.changes = Changes()
        self.names: list[str] = []
        """The name of the node in each row; "" where none is."""
        self.offers: dict[str, NodeOffer] = {}
        self.holds: dict[str, Hold] = {}
        """By uid, also those on nodes that are not there."""
        self.models: dict[str, int] = {"": 0}
        """The number of each model of GPU."""
        self._rows: dict[str, int] = {}
        self._vacant: list[int] = []
        self._uuids: dict[str, tuple[str, int]] = {}
        self._domains: dict[str, tuple[Ints, list[str]]] = {}
        self._held_on: dict[str, dict[str, None]] = {}
        self._undo = UndoLog()
        self._rule_numbers: dict[RuleSet, int] = {}
        self._rule_sets: list[RuleSet | None] = [None]
        self._passing: dict[int, Bools] = {}
        self._order: Ints | None = None
        self._draws: dict[str, bytes] = {}
        self._kept: dict[Hashable, object] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, offer: NodeOffer) -> None:
        """Adds a node, or replaces what it offers; holds on it stay."""
        before = self.offers.get(offer.name)
        if before == offer:
            return
        row = self._rows.get(offer.name)
        if row is None:
            row = self._vacant.pop() if self._vacant else self.columns.length
            if row == len(self.names):
                self.names.append("")
            self.names[row] = offer.name
            self._rows[offer.name] = row
            self._order = None
        if before is None or (before.model, before.gpus) != (offer.model, offer.gpus):
            self.changes.shape_changed()
        self.columns.reserve(max(row + 1, self.columns.length), max(len(offer.gpus), self.columns.breadth))
        self._write(row, offer)
        self._undo.note(partial(self.put, before) if before else partial(self.remove, offer.name))

    def remove(self, name: str) -> None:
        """Takes a node away; holds on it stay for its return. Without such a node nothing happens."""
        row = self._rows.pop(name, None)
        if row is None:
            return
        offer = self.offers.pop(name)
        self._draws.pop(name, None)
        self._forget_uuids(offer)
        self._domains.clear()
        self.names[row] = ""
        self._vacant.append(row)
        self.columns.blank(row)
        for passing in self._passing.values():
            if row < len(passing):
                passing[row] = False
        self.changes.shape_changed()
        self._undo.note(partial(self.put, offer))

    def hold(self, seat: Seat, ask: PodAsk) -> None:
        """Takes what a pod needs from its node, whether it is left or not: what is bound is bound."""
        before = self.holds.get(seat.uid)
        if before is not None:
            if before.seat == seat and before.ask == ask:
                return
            self.release(seat.uid)
        row = self._rows.get(seat.node)
        devices = seat.devices or (self._guessed(row, ask) if row is not None and ask.gpu.number else ())
        self._restore(Hold(seat, ask, devices))

    def release(self, uid: str) -> None:
        """Gives back what a pod held; without such a hold nothing happens."""
        hold = self.holds.pop(uid, None)
        if hold is None:
            return
        del self._held_on[hold.seat.node][uid]
        row = self._rows.get(hold.seat.node)
        if row is not None:
            self._take(row, hold, -1)
        self.columns.memory_shares -= bool(hold.ask.gpu.memory)
        self._undo.note(partial(self._restore, hold))

    def forget_resources(self) -> None:
        """Forgets the names of resources that no node has and nobody holds."""
        self.columns.forget_resources()

    def draft(self) -> Draft:
        """Returns a scope whose changes are undone at its end, unless its `keep` was called."""
        return self._undo.draft()

    def rules(self, rules: RuleSet) -> int:
        """Returns the number of a set of rules, for PodAsk.rules; equal sets have equal numbers."""
        number = self._rule_numbers.get(rules)
        if number is None:
            number = self._rule_numbers[rules] = len(self._rule_sets)
            self._rule_sets.append(rules)
        return number

    def rule_set(self, number: int) -> RuleSet | None:
        """Returns the rules behind a number; None for 0, which allows every node."""
        return self._rule_sets[number]

    def allowed(self, number: int) -> Bools:
        """Returns by row whether a set of rules allows the node; vacant rows are never allowed."""
        passing = self._passing.get(number)
        if passing is None or len(passing) != self.columns.length:
            rules = self._rule_sets[number]
            offers = (self.offers.get(name) for name in self.names)
            passing = np.array([one is not None and (rules is None or rules.allows(one)) for one in offers], np.bool_)
            self._passing.pop(number, None)
            if len(self._passing) >= _MOST_KEPT:
                del self._passing[next(iter(self._passing))]
            self._passing[number] = passing
        return passing

    def row(self, name: str) -> int | None:
        """Returns the row of a node; None when there is no such node."""
        return self._rows.get(name)

    def device(self, uuid: str) -> tuple[int | None, int]:
        """Returns the row and the index of a GPU by its uuid; no row when nobody has it."""
        name, index = self._uuids.get(uuid, ("", 0))
        return self._rows.get(name), index

    def held_on(self, name: str) -> Iterator[Hold]:
        """Yields all holds on a node, in the order in which they came."""
        return (self.holds[uid] for uid in self._held_on.get(name, ()))

    def order(self) -> Ints:
        """Returns the place of each row in the fixed random order that breaks ties: it depends on the seed and the name alone."""
        if self._order is None:
            self._order = np.empty(self.columns.length, np.int64)
            drawn = sorted(range(len(self.names)), key=lambda row: (self._drawn(self.names[row]), row))
            self._order[drawn] = np.arange(len(drawn))
        return self._order

    def domains(self, level: str) -> tuple[Ints, list[str]]:
        """Returns for each row the number of its domain at a level, -1 without one, and the names of the domains."""
        found = self._domains.get(level)
        if found is None or len(found[0]) != self.columns.length:
            found = self._domains[level] = domains_of(level, [self.offers.get(name) for name in self.names])
        return found

    def neighbourly(self, ask: PodAsk) -> Bools | None:
        """Returns which rows an ask may share with who is there; None when that does not matter to anybody."""
        columns, length = self.columns, self.columns.length
        if not is_choosy(columns, ask):
            return None
        allowed, found = self.allowed(ask.rules), np.ones(length, np.bool_)
        nobody = np.zeros(length, np.int64)
        for one in ask.neighbours:
            present = columns.crowds.get((one.crowd, ""), nobody)[:length]
            compared = allowed if one.among < 0 else self.allowed(one.among)
            found &= beside(one, ask, self.domains(one.level)[0], present, compared)
        for crowd, level in kept_away(columns, ask):
            away = Neighbours(APART, crowd, level)
            found &= beside(away, ask, self.domains(level)[0], columns.crowds[crowd, level][:length], allowed)
        return found

    def drop_crowd(self, number: int) -> bool:
        """Forgets a crowd of which nobody speaks any more; returns False, and does nothing, while somebody of it is held."""
        columns = [key for key in self.columns.crowds if key[0] == number]
        if any(self.columns.crowds[key].any() for key in columns):
            return False
        for key in columns:
            del self.columns.crowds[key]
        return True

    def wiring(self, row: int) -> Matrix:
        """Returns how well pairs of GPUs of a row are connected; () when nothing is known that tells them apart."""
        return self.columns.matrices[int(self.columns.wiring[row])]

    def kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Returns what a room above keeps about this fleet under a key, made on first use; when there are too many the oldest goes."""
        found = self._kept.get(key)
        if found is None:
            found = make()
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        return cast(Kept, found)

    def _drawn(self, name: str) -> bytes:
        drawn = self._draws.get(name)
        if drawn is None:
            drawn = self._draws[name] = self._draw(name)
        return drawn

    def _draw(self, name: str) -> bytes:
        return hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=8).digest()

    def _write(self, row: int, offer: NodeOffer) -> None:
        before = self.offers.get(offer.name)
        if before is not None and before.gpus != offer.gpus:
            self._forget_uuids(before)
        self.offers[offer.name] = offer
        self._domains.clear()
        self._uuids.update({gpu.uuid: (offer.name, index) for index, gpu in enumerate(offer.gpus) if gpu.uuid})
        self.columns.fill(row, offer, self.models.setdefault(offer.model, len(self.models)))
        for number, passing in self._passing.items():
            rules = self._rule_sets[number]
            if row < len(passing):
                passing[row] = rules is None or rules.allows(offer)
        unsettled = []
        for hold in self.held_on(offer.name):
            if _is_settled(hold, offer):
                self._take(row, hold, 1)
            else:
                unsettled.append(hold)
        for hold in unsettled:  # last, for what others certainly have is no choice
            guessed = self.holds[hold.seat.uid] = hold._replace(devices=self._guessed(row, hold.ask))
            self._take(row, guessed, 1)
        self.changes.row_changed(row)

    def _forget_uuids(self, offer: NodeOffer) -> None:
        for gpu in offer.gpus:
            if self._uuids.get(gpu.uuid, ("", 0))[0] == offer.name:
                del self._uuids[gpu.uuid]

    def _restore(self, hold: Hold) -> None:
        self.holds[hold.seat.uid] = hold
        self._held_on.setdefault(hold.seat.node, {})[hold.seat.uid] = None
        row = self._rows.get(hold.seat.node)
        if row is not None:
            self._take(row, hold, 1)
        self.columns.memory_shares += bool(hold.ask.gpu.memory)
        self._undo.note(partial(self.release, hold.seat.uid))

    def _take(self, row: int, hold: Hold, sign: int) -> None:
        columns, ask = self.columns, hold.ask
        columns.cpu[row] -= sign * min(ask.cpu, HUGE)
        columns.memory[row] -= sign * min(ask.memory, HUGE)
        columns.pods[row] -= sign
        for name, amount in ask.others:
            columns.resource(name)[row] -= sign * min(amount, HUGE)
        for crowd in ask.crowds:
            columns.crowd((crowd, ""))[row] += sign
        for one in ask.neighbours:
            if one.kind == APART:
                columns.crowd((one.crowd, one.level))[row] += sign
        for device in hold.devices:
            # Sizes change only where a row is written anew, and there all holds count again: what is skipped is never given back.
            if device < columns.breadth and columns.gpu_size[row, device] > 0:
                size = int(columns.gpu_memory_size[row, device])
                columns.gpu[row, device] -= sign * taken_milli(ask.gpu, size)
                if size:
                    columns.gpu_memory[row, device] -= sign * taken_memory(ask.gpu, size)
        self.changes.row_changed(row)

    def _guessed(self, row: int, ask: PodAsk) -> tuple[int, ...]:
        """Of a pod that another scheduler bound, nobody says which GPUs: first those with room, fullest first for shares."""
        columns = self.columns
        left = columns.gpu[row]
        fits = fitting(columns, np.array([row]), ask.gpu, columns.gpu[[row]])[0]
        there = np.flatnonzero(columns.gpu_size[row] > 0)
        ranked = sorted(there, key=lambda index: (not fits[index], left[index] if fits[index] else -left[index], index))
        return tuple(int(index) for index in ranked[: ask.gpu.number])


def _is_settled(hold: Hold, offer: NodeOffer) -> bool:
    """Whether nothing need be guessed: somebody says which GPUs a pod holds, or those that were guessed are on the node."""
    if hold.seat.devices or not hold.ask.gpu.number:
        return True
    return len(hold.devices) == hold.ask.gpu.number and max(hold.devices) < len(offer.gpus)
