"""Why a gang does not start, as values: a code, a sentence, and the numbers behind both."""

from collections.abc import Iterable

from corral.placement.admission.amounts import CPU, GPU, MEMORY, Amounts, lacking, pairs
from corral.placement.admission.quota import Lack
from corral.placement.asks import Gang, Refusal

_MOST_NAMED = 12
"""Queues that are named to somebody who named none of them."""


def too_few_members(gang: Gang) -> Refusal:
    """Returns that not all pods of a gang are there yet."""
    there = len(gang.members)
    sentence = f"{there} of the {gang.minimum} pods that must start together are there."
    return Refusal(gang.uid, "members-missing", sentence, (("pods", gang.minimum),), (("pods", there),))


def quota_refusal(gang: Gang, lack: Lack) -> Refusal:
    """Returns that a quota is used up."""
    needed, free = amount_text(lack.resource, lack.needed), amount_text(lack.resource, lack.free)
    name = f"queue {lack.queue}" if lack.queue else "all queues together"
    sentence = {
        "limit": f"It needs {needed}; the limit of {name} leaves {free}.",
        "borrowing": f"It needs {needed}; what {name} may have and borrow leaves {free}.",
        "lending": f"It needs {needed}; {free} are left beside what other queues keep for themselves.",
        "namespace": f"It needs {needed}; the quota of namespace {lack.queue} leaves {free}.",
    }[lack.term]
    return Refusal(
        gang.uid, f"quota-{lack.term}", sentence, ((lack.resource, lack.needed),), ((lack.resource, lack.free),)
    )


def room_refusal(gang: Gang, needs: Amounts, left: Amounts) -> Refusal:
    """Returns that all nodes together have too little."""
    free = {name: max(left.get(name, 0), 0) for name in needs}
    parts = [
        f"{amount_text(name, needs[name])} ({amount_text(name, free[name])} free)" for name in lacking(needs, free)
    ]
    sentence = f"All nodes together lack {' and '.join(parts)}." if parts else "None of its other pods fits on a node."
    return Refusal(gang.uid, "no-room", sentence, pairs(needs), pairs(free))


def behind_refusal(gang: Gang, first: str, drains: float = 0.0) -> Refusal:
    """Returns that there would be room, but it is kept for a gang that is before this one, which is what `binding` names."""
    bound = f", for {duration_text(drains)} at most" if drains else ""
    return Refusal(gang.uid, "reserved", f"What is free is kept for {first}, which is before it{bound}.", binding=first)


def making_room(gang: Gang) -> Refusal:
    """Returns that others were told to give way."""
    return Refusal(gang.uid, "making-room", "Others give way; it starts when they have left.")


def unknown_queue(gang: Gang, known: Iterable[str]) -> Refusal:
    """Returns that nobody knows the queue, and which there are."""
    names = sorted(known)
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    are = "there are" if len(names) > 1 else "there is only"
    there = f"{are} {', '.join(names[:_MOST_NAMED])}{more}" if names else "there is none"
    return Refusal(gang.uid, "queue-missing", f"There is no queue {gang.queue}: {there}.", binding=gang.queue)


def duration_text(seconds: float) -> str:
    """Returns a time as people say it."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def amount_text(resource: str, amount: int) -> str:
    """Returns an amount as people say it."""
    if resource == GPU:
        return f"{amount / 1000:g} GPU" + ("" if amount == 1000 else "s")
    if resource == CPU:
        return f"{amount / 1000:g} cores"
    if resource == MEMORY:
        return f"{amount / 2**30:.4g} GiB"
    return f"{amount} {resource}"
