"""Elastic gangs: they grow into what is idle, and shrink to their minimum when others wait."""

from corral.placement.admission.amounts import Amounts, amounts_of_pod, amounts_of_pods
from corral.placement.admission.claims import Running
from corral.placement.admission.cycle import Resizing, Terms
from corral.placement.admission.ground import Ground
from corral.placement.admission.order import Entry
from corral.placement.admission.quota import lack_of, namespace_lack
from corral.placement.admission.victims import Sacrifice, Trial, Victim, covered, may_be_evicted, sacrifice
from corral.placement.asks import Member, Plan, Seat


def shrinking(ground: Ground, terms: Terms, entry: Entry, entitled: dict[str, Amounts], now: float) -> Sacrifice | None:
    """Returns which pods elastic gangs can do without, so that a gang can start; the last pods of a gang go first.

    Gangs of the same queue give way unless they are more important, those of other queues when they lie beyond what their queue is
    entitled to.
    """
    elastic = [
        one for one in map(ground.running.__getitem__, ground.elastic) if may_be_evicted(ground, one, terms, now)
    ]
    spare = [one for one in elastic if _spare(one) and not any(seat.uid in ground.leaving for seat in one.seats)]
    safe = {
        name: covered(ground, entitled, name)
        for name in {one.claim.gang.queue for one in spare}
        if name != entry.kind.queue
    }
    gangs = [
        _all_spare(one, terms, now)
        for one in spare
        if (
            one.claim.gang.priority <= entry.claim.gang.priority
            if one.claim.gang.queue == entry.kind.queue
            else one.uid not in safe[one.claim.gang.queue]
        )
    ]
    found = sacrifice(ground, entry, gangs) if gangs else None
    return None if found is None else _trimmed(ground, terms, entry, found, now)


def growing(ground: Ground, terms: Terms, changed: dict[str, float], now: float) -> list[Resizing]:
    """Returns by how many pods each elastic gang may grow into what is idle, one pod in turn for those that have fewest of theirs."""
    able = {
        one.uid: one
        for one in (ground.running[uid] for uid in ground.elastic)
        if one.claim.most > len(one.claim.gang.members) == len(one.seats)
        and not any(seat.uid in ground.leaving for seat in one.seats)
        and now - max(changed.get(one.uid, one.started), one.started) >= terms.calm
    }
    more = dict.fromkeys(able, 0)
    with ground.room.draft():
        taken: list[tuple[str, Amounts]] = []
        while able:
            uid = min(able, key=lambda one: ((len(able[one].seats) + more[one]) / able[one].claim.most, one))
            running = able[uid]
            member = _next_member(running, more[uid])
            needs = amounts_of_pod(member.ask)
            if _fits(ground, running, member, needs, amounts_of_pods([member.ask] * (more[uid] + 1))):
                more[uid] += 1
                ground.queues.take(running.claim.gang.queue, needs)
                taken.append((running.claim.gang.queue, needs))
                if len(running.seats) + more[uid] < running.claim.most:
                    continue
            del able[uid]
        for queue, needs in taken:
            ground.queues.give_back(queue, needs)
    sizes = {uid: len(ground.running[uid].seats) for uid in more}
    return [Resizing(uid, sizes[uid], sizes[uid] + count) for uid, count in more.items() if count]


def _fits(ground: Ground, running: Running, member: Member, needs: Amounts, in_namespace: Amounts) -> bool:
    claim = running.claim
    if lack_of(ground.queues, ground.left, claim.gang.queue, needs):
        return False
    if namespace_lack(ground.namespaces, claim.namespace, in_namespace):
        return False
    nodes = {seat.uid: seat.node for seat in running.seats}
    held = tuple(one._replace(held=nodes[one.uid]) for one in claim.gang.members if one.uid in nodes)
    answer = ground.room.plan(claim.gang._replace(members=(*held, member), takes_kept=False))
    if not isinstance(answer, Plan) or not answer.seats:
        return False
    ground.room.hold(answer.seats[0], member.ask)
    return True


def _next_member(running: Running, number: int) -> Member:
    """Returns a pod like the last one of a gang."""
    last = running.claim.gang.members[-1]
    return Member(f"{running.uid}/more/{number}", last.ask)


def _spare(running: Running) -> int:
    return max(len(running.seats) - running.claim.gang.minimum, 0) if running.claim.most else 0


def _all_spare(running: Running, terms: Terms, now: float) -> Victim:
    order = {one.uid: index for index, one in enumerate(running.claim.gang.members)}
    seats = sorted(running.seats, key=lambda seat: order[seat.uid])
    return _victim(running, tuple(seats[len(seats) - _spare(running) :]), terms, now)


def _victim(running: Running, seats: tuple[Seat, ...], terms: Terms, now: float) -> Victim:
    asks = {one.uid: one.ask for one in running.claim.gang.members}
    held = amounts_of_pods(asks[seat.uid] for seat in seats)
    # Whoever shrinks stops and goes on from a checkpoint: no more is lost than by that.
    lost = running.held.get("gpu", 0) / 1000 * min(max(now - running.started, 0.0), terms.lost_on_stop)
    return Victim(running.uid, running.claim.gang.queue, seats, held, lost, "shrunk")


def _trimmed(ground: Ground, terms: Terms, entry: Entry, found: Sacrifice, now: float) -> Sacrifice:
    """Lets every gang keep as many pods as it can."""
    trial, chosen, plan = Trial(ground, entry), list(found.victims), found.plan
    for index, victim in enumerate(chosen):
        low, high = 0, len(victim.seats)  # so few are too few, and so many are enough
        while high - low > 1:
            middle = (low + high) // 2
            fewer = _victim(ground.running[victim.uid], victim.seats[-middle:], terms, now)
            answer = trial.plan([*chosen[:index], fewer, *chosen[index + 1 :]])
            if answer is None:
                low = middle
            else:
                high, chosen[index], plan = middle, fewer, answer
    return Sacrifice(tuple(chosen), plan)
