"""Why a gang waits and what would let it start, as one frozen value that feeds whatever shows it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from corral.placement.admission.verdicts import quota_refusal
from corral.placement.asks import Gang, Plan, Refusal
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.potentials import Policy
from corral.placement.remedies.binding import NO_NODE_ALLOWED, NO_SUCH_MODEL, TOO_LARGE, binding
from corral.placement.remedies.books import Books
from corral.placement.remedies.question import Question
from corral.placement.remedies.reasons import Facts, sentence_for
from corral.placement.remedies.remedy import Remedy
from corral.placement.remedies.search import Found, search
from corral.placement.remedies.shortage import Gap
from corral.placement.remedies.standings import MakeStanding, standings_of
from corral.placement.remedies.supplies import Job

_HOPELESS = (TOO_LARGE, NO_NODE_ALLOWED, NO_SUCH_MODEL)
_LONGEST = 200
"""An event says no more than so many characters."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a gang waits."""

    gang: str
    code: str
    """The constraint that binds, for programs and as the label of a metric."""
    sentence: str
    """What is needed, what there is, who holds the rest; without a full stop."""
    needed: tuple[tuple[str, int], ...] = ()
    free: tuple[tuple[str, int], ...] = ()
    makes: tuple[MakeStanding, ...] = ()
    """How each make of node stands to the pod that is scarcest."""
    remedies: tuple[Remedy, ...] = ()
    """Changes that would let it start, each tried, the smallest first."""
    tried_up_to: int = 0
    """Sets of up to so many changes were considered."""
    left_out: int = 0
    """So many wishes and jobs were not combined with others, because there were too many."""

    @property
    def is_hopeless(self) -> bool:
        """Whether it could not start even if nobody else were there."""
        return self.code in _HOPELESS

    @property
    def event(self) -> str:
        """Returns it as one short sentence."""
        waits = "Waits" if self.code.startswith("quota-") else "Waits for room"
        said = f"{'Can never run here' if self.is_hopeless else waits}: {self.sentence}"
        if self.remedies and len(said) + len(self.remedies[0].sentence) < _LONGEST:
            said = f"{said}; it would start {self.remedies[0].sentence}"
        return said if len(said) < _LONGEST else f"{said[: _LONGEST - 1].rsplit(' ', 1)[0]}…"

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        return {
            "code": self.code,
            "sentence": self.sentence,
            "needed": dict(self.needed),
            "free": dict(self.free),
            "nodes": [_make_document(one) for one in self.makes],
            "remedies": [one.document() for one in self.remedies],
            "triedUpTo": self.tried_up_to,
            "leftOut": self.left_out,
        }


class Terms(NamedTuple):
    """How much is to be told, and of whom."""

    with_remedies: bool = True
    least_pods: int = 1
    """With fewer pods than that the gang is of no use to anybody."""
    books: Books | None = None
    """What quotas say; None where there are none."""
    subject: str = "it"
    """Who needs something, when that is a single pod: `it`, or `each` of several that ask the same."""


_EVERYTHING = Terms()


def explain(
    fleet: Fleet, gang: Gang, policy: Policy, jobs: Sequence[Job] = (), *, terms: Terms = _EVERYTHING
) -> Explanation | None:
    """Returns why a gang waits, for a quota or for room, and what would let it start; None when it would start at once."""
    question = Question(fleet, gang, policy, jobs, least_pods=terms.least_pods, books=terms.books)
    lacks = question.trial.lacks(())
    answer = plan(fleet, gang, policy, explain=False)
    if isinstance(answer, Plan):
        return _refused(quota_refusal(gang, lacks[0]), _searched(question, terms)) if lacks else None
    view = question.view(())
    if answer.code == "members-missing" or not view.shortage.gaps:
        return _refused(answer, Found((), 0, 0, 0))
    scarcest = view.shortage.scarcest
    gap = view.shortage.of_class(scarcest.classes[-1])
    makes = standings_of(question, gap.classes[-1])
    code = binding(question, view, scarcest, makes)
    found = _searched(question, terms)
    if lacks and code not in _HOPELESS:
        # Quotas are asked before places, so they bind; that there is no room either is told beside it.
        first = _refused(quota_refusal(gang, lacks[0]), found)
        room = sentence_for(Facts(question, view, code, gap, makes, terms.subject))
        return msgspec.structs.replace(first, sentence=f"{first.sentence}; besides, {room}", makes=makes)
    return Explanation(
        gang=gang.uid,
        code=code,
        sentence=sentence_for(Facts(question, view, code, gap, makes, terms.subject)),
        needed=_needed(view.shortage.missing, gap),
        free=_free(answer, makes),
        makes=makes,
        remedies=found.remedies,
        tried_up_to=found.size,
        left_out=found.left_out,
    )


def _searched(question: Question, terms: Terms) -> Found:
    return search(question) if terms.with_remedies else Found((), 0, 0, 0)


def _refused(answer: Refusal, found: Found) -> Explanation:
    """The explanation of what has nothing to do with nodes."""
    return Explanation(
        gang=answer.gang,
        code=answer.code,
        sentence=f"{answer.sentence[:1].lower()}{answer.sentence[1:].rstrip('.')}",
        needed=answer.needed,
        free=answer.free,
        remedies=found.remedies,
        tried_up_to=found.size,
        left_out=found.left_out,
    )


def _needed(missing: int, gap: Gap) -> tuple[tuple[str, int], ...]:
    (ask,) = gap.classes
    gpus = (("gpus_on_one_node", ask.gpu.number), ("gpu_milli", ask.gpu.total)) if ask.gpu.number else ()
    return ("pods", missing), *gpus, ("cpu", ask.cpu), ("memory", ask.memory)


def _free(answer: Refusal, makes: Sequence[MakeStanding]) -> tuple[tuple[str, int], ...]:
    """What is free on nodes that may take it."""
    reachable = [one for one in makes if one.obstacle is None]
    most = max((one.nearest.gpus for one in reachable if one.nearest is not None), default=0)
    return (
        ("pods", dict(answer.free).get("pods", 0)),
        ("gpus_on_one_node", most),
        ("idle_gpus", sum(one.idle for one in reachable)),
        ("gpu_milli", sum(one.free_milli for one in reachable)),
        ("nodes", sum(one.nodes - one.closed for one in reachable)),
    )


def _make_document(one: MakeStanding) -> dict[str, Any]:
    found: dict[str, Any] = {
        "make": one.make,
        "nodes": one.nodes,
        "closed": one.closed,
        "fits": one.fits,
        "freeGpus": one.free_milli / 1000,
        "idleGpus": one.idle,
    }
    if one.obstacle is not None:
        found["obstacle"] = one.obstacle.words
    if one.nearest is not None:
        holders = [
            {"name": holder.name, "gpus": holder.milli / 1000, "cpu": holder.cpu / 1000, "memory": holder.memory}
            for holder in one.nearest.holders
        ]
        found["nearest"] = {
            "node": one.nearest.node,
            "gpus": one.nearest.gpus,
            "freeGpus": one.nearest.free_milli / 1000,
            "cpu": one.nearest.cpu / 1000,
            "memory": one.nearest.memory,
            "holders": holders,
        }
    return found
