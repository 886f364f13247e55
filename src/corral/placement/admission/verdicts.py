"""Why a gang does not start, as values: a code, a sentence, and the numbers behind both."""

from corral.placement.admission.amounts import CPU, GPU, MEMORY, Pairs
from corral.placement.admission.quota import Lack
from corral.placement.asks import Gang, Refusal


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


def room_refusal(gang: Gang, needed: Pairs, free: Pairs) -> Refusal:
    """Returns that all nodes together have too little."""
    there = dict(free)
    parts = [
        f"{amount_text(name, amount)} ({amount_text(name, max(there[name], 0))} free)"
        for name, amount in needed
        if amount > there.get(name, amount)
    ]
    return Refusal(gang.uid, "no-room", f"All nodes together lack {' and '.join(parts)}.", needed, free)


def amount_text(resource: str, amount: int) -> str:
    """Returns an amount as people say it."""
    if resource == GPU:
        return f"{amount / 1000:g} GPU" + ("" if amount == 1000 else "s")
    if resource == CPU:
        return f"{amount / 1000:g} cores"
    if resource == MEMORY:
        return f"{amount / 2**30:.4g} GiB"
    return f"{amount} {resource}"
