"""Why nodes of a make never take a pod, whatever is free there."""

from typing import NamedTuple

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet import RuleSet
from corral.placement.fleet.rules import REPELLING
from corral.placement.gangs.words import gpus_of
from corral.placement.offers import NodeOffer
from corral.placement.potentials.models import allowed_models
from corral.placement.remedies.makes import Make
from corral.placement.remedies.question import Question
from corral.placement.remedies.words import amount_words


class Obstacle(NamedTuple):
    """What keeps a class from a make for good."""

    code: str
    """`no-node-allowed`, `no-such-model` or `too-large`."""
    words: str
    """To follow "2 nodes are": `without the label zone=a`."""


def obstacle(question: Question, ask: PodAsk, make: Make) -> Obstacle | None:
    """Returns the first thing that keeps a class from a make for good, None when nothing does."""
    fleet, offer, row = question.fleet, make.offer, int(make.rows[0])
    rules = fleet.rule_set(ask.rules)
    if rules is not None and (found := _forbidden(rules, offer)):
        return Obstacle("no-node-allowed", found)
    models = allowed_models(fleet, ask.gpu) if ask.gpu.number else None
    if models is not None and offer.gpus and not models[fleet.columns.model[row]]:
        return Obstacle("no-such-model", f"with {offer.model or 'GPUs of an unknown model'}")
    if question.room(ask, "closed", is_empty=True)[row] < 1:
        return Obstacle(
            "too-large", f"too small ({_too_small(ask, offer)})" if offer.gpus or not ask.gpu.number else "without GPUs"
        )
    return None


def _forbidden(rules: RuleSet, offer: NodeOffer) -> str:
    labels = dict(offer.labels)
    missing = [f"{key}={value}" for key, value in rules.selector if labels.get(key) != value]
    if missing:
        return f"without the label {', '.join(missing)}"
    if not rules.selects(offer):
        return "outside of its node affinity"
    for taint in offer.taints:
        if taint.effect in REPELLING and not any(one.bears(taint) for one in rules.tolerations):
            return f"with the taint {taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"
    return ""


def _too_small(ask: PodAsk, offer: NodeOffer) -> str:
    usable = sum(1 for gpu in offer.gpus if gpu.milli > 0)
    if usable < ask.gpu.number:
        return gpus_of(usable * WHOLE)
    if offer.cpu < ask.cpu:
        return amount_words("cpu", offer.cpu)
    if offer.memory < ask.memory:
        return amount_words("memory", offer.memory)
    there = dict(offer.others)
    lacking = [name for name, amount in ask.others if there.get(name, 0) < amount]
    return f"too little {lacking[0]}" if lacking else "its GPUs are smaller, or others than it names"
