"""One cycle, step by step: promises first, then turns, then growth."""

from math import inf

from corral.placement.admission.amounts import Amounts, add, amounts_of_pod, amounts_of_pods, starters, subtract
from corral.placement.admission.backfill import QuotaKept, ends_by, keep_quota, passes
from corral.placement.admission.claims import Running
from corral.placement.admission.cycle import Admitted, Cycle, Terms
from corral.placement.admission.elastic import growing
from corral.placement.admission.fair_share import entitlements
from corral.placement.admission.ground import Ground
from corral.placement.admission.memory import Drain, Memory
from corral.placement.admission.order import Entry, Line, Order, Shapes
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.quota import Lack, lack_of, namespace_lack
from corral.placement.admission.relief import Means, Relief, relieve
from corral.placement.admission.reservation import kept, reserve
from corral.placement.admission.turns import Turns
from corral.placement.admission.verdicts import (
    behind_refusal,
    making_room,
    quota_refusal,
    room_refusal,
    too_few_members,
    unknown_queue,
)
from corral.placement.asks import Plan, Refusal
from corral.placement.gangs.refusals import KEPT

PROMISE_KEPT = 900.0
"""Seconds for which seats are kept for a gang that moves and has not come back."""


def order_of(queue: QueueTerms, terms: Terms) -> Order:
    """Returns how gangs of a queue are ordered."""
    return Order(queue.order == "priority", queue.stretch if queue.passing else 0.0, terms.patience)


class Round:
    """The state of one cycle while it is decided."""

    def __init__(self, ground: Ground, line: Line, memory: Memory, terms: Terms, shapes: Shapes) -> None:
        self._ground, self._line, self._memory, self._terms, self._shapes = ground, line, memory, terms, shapes
        self._admitted: list[Admitted] = []
        self._refused: list[Refusal] = []
        self._reliefs: list[Relief] = []
        self._quotas: dict[str, QuotaKept] = {}
        self._entitled: dict[str, Amounts] | None = None
        self._head = ""
        self._is_crowded = False
        self._pauses = False
        """Whether room drained in vain for long enough, and others pass for now."""
        self._drains = 0.0
        """How long room drains for the first in line at most; 0 when it is known when it can start."""

    def decide(self, now: float, most: int) -> Cycle:
        """Decides everything that can be decided now, or about so many gangs at most."""
        self._line.wake(now)
        self._memory.look(self._ground.freed, now)
        self._memory.look_at_sizes({uid: len(self._ground.running[uid].seats) for uid in self._ground.elastic}, now)
        self._keep_promises(now)
        turns = Turns(self._line, self._ground.queues, self._ground.capacity)
        while (entry := turns.next()) and not (most and len(self._admitted) >= most):
            answer = self._answer(entry, now)
            if isinstance(answer, Plan):
                self._memory.of_class.pop(entry.kind, None)
                self._admit(entry, answer, now)
                turns.took(entry)
            elif entry.uid in self._ground.promises:
                turns.took(entry)
            else:
                self._tell(answer)
                self._memory.put_off(entry.kind, answer)
                # Another one of the class may be just short enough to end in time.
                time = self._kept_until(now) - now
                if answer.code == "reserved" and self._line.shortest(entry.kind) <= time < inf:
                    turns.skip(entry, shorter=time)
                else:
                    turns.put_off(entry)
                if not self._ground.queues.terms(entry.kind.queue).passing and not entry.follows:
                    turns.close(entry.kind.queue)
        resizings = [one for relief in self._reliefs for one in relief.resizings]
        if self._terms.resizes and not self._is_crowded and self._ground.elastic:
            resizings += growing(self._ground, self._terms, self._memory.resized, now)
        self._memory.resized.update({one.gang: now for one in resizings})
        return Cycle(
            tuple(self._admitted),
            tuple(one for relief in self._reliefs for one in relief.evictions),
            tuple(one for relief in self._reliefs for one in relief.migrations),
            tuple(resizings),
            self._memory.kept.reservation if self._memory.kept and not self._pauses else None,
            tuple(self._refused),
        )

    # --- promises ---

    def _keep_promises(self, now: float) -> None:
        """Starts gangs for which room was made, as soon as there is; gives up what came to nothing."""
        for uid in tuple(self._ground.promises):
            promise = self._ground.promises[uid]
            if not promise.is_here:
                if now - promise.made > PROMISE_KEPT and not promise.going:
                    self._ground.withdraw(uid)
                continue
            freed = self._ground.freed
            self._ground.withdraw(uid)
            answer = self._planned_freely(promise.entry, is_young=False)
            if isinstance(answer, Plan):
                self._admit(promise.entry, answer, now)
            elif promise.going:
                self._ground.promise(promise)
                self._ground.freed = freed
            else:
                self._line.put(
                    promise.entry, order_of(self._ground.queues.terms(promise.entry.kind.queue), self._terms)
                )

    # --- turns ---

    def _answer(self, entry: Entry, now: float) -> Plan | Refusal:
        gang = entry.claim.gang
        if len(gang.members) < gang.minimum:
            return too_few_members(gang)
        if gang.queue not in self._ground.queues:
            return unknown_queue(gang, self._ground.queues)
        lack = self._lack(entry)
        if lack is not None:
            return self._without_quota(entry, lack, now)
        for one in self._ground.queues.path(gang.queue):
            quota = self._quotas.get(one)
            if quota is not None and not passes(quota, entry, now):
                return behind_refusal(gang, quota.gang)
        answer = self._planned(entry, now)
        if isinstance(answer, Refusal) and not entry.follows:
            self._is_crowded = True
            if answer.code == KEPT:
                return answer  # there is room, and it is left idle on purpose: nobody shall make more
            if not self._head or answer.code != "reserved":
                return self._without_room(entry, answer, now)
        return answer

    def _kept_until(self, now: float) -> float:
        """Returns the latest time at which somebody is to start on what is kept: who ends by then may be in time."""
        times = [one.starts for one in self._quotas.values()]
        first = self._memory.kept
        if first is not None and now <= first.trusts_until:
            times.append(first.reservation.starts)
        return max((one for one in times if one < inf), default=-inf)

    def _lack(self, entry: Entry) -> Lack | None:
        lack = lack_of(self._ground.queues, self._ground.left, entry.kind.queue, entry.needs)
        if lack is None and not entry.claim.is_made:
            lack = namespace_lack(self._ground.namespaces, entry.claim.namespace, entry.needs)
        return lack

    def _without_quota(self, entry: Entry, lack: Lack, now: float) -> Refusal:
        refusal = quota_refusal(entry.claim.gang, lack)
        if lack.term == "namespace" or entry.follows:
            return refusal
        if self._is_relieved(entry, now):
            return making_room(entry.claim.gang)
        if self._terms.reserves and lack.term != "lending" and lack.queue not in self._quotas:
            quota = self._memory.quotas.get(lack.queue)
            if quota is None or quota.gang != entry.uid:
                quota = keep_quota(self._ground, entry, lack.queue, now)
            if quota is not None:
                self._memory.quotas[lack.queue] = quota
                if quota.starts < inf or self._drains_for(lack.queue, entry, now):
                    self._quotas[lack.queue] = quota
        return refusal

    def _drains_for(self, what: str, entry: Entry, now: float) -> float:
        fresh = Drain(entry.uid, now, self._terms.drains)
        return self._memory.drains_for(what, fresh, lambda uid: self._line.get(uid) is not None)

    def _without_room(self, entry: Entry, refusal: Refusal, now: float) -> Refusal:
        if self._is_relieved(entry, now):
            return making_room(entry.claim.gang)
        if self._head or self._pauses or not self._terms.reserves:
            return refusal
        memory, changed = self._memory, self._ground.changed
        if memory.kept is None or memory.kept.reservation.gang != entry.uid:
            if memory.is_hopeless(entry.kind.shape, changed):
                return refusal
            found = reserve(self._ground, entry, now, self._trusted_until(entry))
            if found is None:
                if not any(one.ask.neighbours for one in entry.claim.gang.members):
                    memory.give_up(entry.kind.shape, changed)  # else whoever comes may be who was waited for
                return refusal
            memory.keep(found)
            if memory.promised.get(entry.uid, inf) == inf:
                memory.promised[entry.uid] = found.reservation.starts
        trusts_until = memory.kept.trusts_until if memory.kept is not None else now
        if now > trusts_until:
            self._drains = self._drains_for("", entry, now)
            if not self._drains:
                self._pauses = True
                return refusal
        self._head = entry.uid
        return refusal

    def _trusted_until(self, entry: Entry) -> float | None:
        promised, arrived = self._memory.promised.get(entry.uid, inf), entry.claim.arrived
        return arrived + (1 + self._terms.lateness) * (promised - arrived) if promised < inf else None

    def _is_relieved(self, entry: Entry, now: float) -> bool:
        if not entry.claim.preempts or not self._memory.may_search(entry.kind, entry.claim.gang.priority, now):
            return False
        per_move = self._terms.placements_per_move
        may_move = bool(per_move) and self._memory.placements >= per_move
        relief = relieve(
            self._ground, entry, Means(self._terms, self._entitlements, self._shapes, may_move and not self._head), now
        )
        if relief is None:
            return False
        self._reliefs.append(relief)
        if relief.migrations:
            self._memory.placements -= per_move
        self._line.remove(entry.uid)
        self._tell(making_room(entry.claim.gang))
        return True

    def _planned(self, entry: Entry, now: float) -> Plan | Refusal:
        """Returns where a gang goes beside what is reserved, or on it when it will have ended by then."""
        memory, is_young = self._memory, now - entry.claim.arrived < self._terms.yields
        tried = (entry.kind.shape, is_young)
        if tried in memory.refused:
            return memory.refused[tried]._replace(gang=entry.uid)
        if not self._head or memory.kept is None:
            return self._planned_freely(entry, is_young)
        if tried not in memory.behind:
            with kept(self._ground, memory.kept.wedges):
                answer = self._placed(entry, is_young)
            if isinstance(answer, Plan) and answer.seats:
                return answer
        starts = memory.kept.reservation.starts
        refusal = memory.behind[tried] = behind_refusal(entry.claim.gang, self._head, self._drains)
        if now <= memory.kept.trusts_until and ends_by(entry.claim, now, starts):
            return self._planned_freely(entry, is_young)
        return refusal

    def _planned_freely(self, entry: Entry, is_young: bool) -> Plan | Refusal:
        gang = entry.claim.gang
        lack = self._lack(entry)
        if lack is not None:
            return quota_refusal(gang, lack)
        answer = self._placed(entry, is_young)
        if isinstance(answer, Plan) and not answer.seats:
            answer = room_refusal(gang, entry.needs, self._ground.left)
        if isinstance(answer, Refusal):
            self._memory.refused[entry.kind.shape, is_young] = answer
        return answer

    def _placed(self, entry: Entry, is_young: bool) -> Plan | Refusal:
        """Returns where a gang goes, who is young not where seats are kept for larger ones; of the pods beyond those that must start only as many as its quotas allow."""
        gang, ground = entry.claim.gang._replace(takes_kept=not is_young), self._ground
        answer = ground.room.plan(gang)
        if isinstance(answer, Refusal) or len(answer.seats) <= len(starters(gang)):
            return answer
        asks = {one.uid: one.ask for one in gang.members}
        seats, total = answer.seats, amounts_of_pods(asks[seat.uid] for seat in answer.seats)
        while len(seats) > len(starters(gang)) and lack_of(ground.queues, ground.left, gang.queue, total):
            subtract(total, amounts_of_pod(asks[seats[-1].uid]))
            seats = seats[:-1]
        return answer._replace(seats=seats)

    def _admit(self, entry: Entry, plan: Plan, now: float) -> None:
        claim = entry.claim
        self._line.remove(claim.uid)
        self._memory.forget(claim.uid)
        before = self._ground.running.get(claim.uid)
        started, seats = (before.started, before.seats) if before else (now, ())
        self._ground.seat(Running(claim, (*seats, *plan.seats), started))
        self._memory.placements = min(self._memory.placements + 1, 5 * max(self._terms.placements_per_move, 1))
        for one in self._ground.queues.path(claim.gang.queue):
            quota = self._memory.quotas.get(one)
            if quota is not None and not ends_by(claim, now, quota.starts):
                add(quota.spare, {name: -amount for name, amount in entry.needs.items()})
        passed = self._head or next((self._quotas[one].gang for one in self._quotas), "")
        self._admitted.append(Admitted(plan, claim.gang.queue, now - claim.arrived, passed))

    def _entitlements(self) -> dict[str, Amounts]:
        if self._entitled is None:
            self._entitled = entitlements(
                self._ground.queues, self._wanted, self._ground.capacity, self._terms.reclaims
            )
        return self._entitled

    def _wanted(self, queue: str) -> Amounts:
        """Returns what the gangs of a queue have and want: neither an admission nor an eviction changes it."""
        total = dict(self._ground.queues.own(queue))
        add(total, self._line.wanted(queue))
        return total

    def _tell(self, refusal: Refusal) -> None:
        # Numbers change with everything that starts or ends; what they mean does not.
        reason = (refusal.code, refusal.needed)
        if self._memory.told.get(refusal.gang) != reason:
            self._memory.told[refusal.gang] = reason
            self._refused.append(refusal)
