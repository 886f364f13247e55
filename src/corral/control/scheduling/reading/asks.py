"""What a pod asks of placement: amounts, GPUs in whichever dialect, ports, and the rules of nodes."""

from collections.abc import Callable
from typing import NamedTuple

from corral.control.scheduling.amounts import CPU, MEMORY, held_amounts, milli_of, units_of
from corral.control.scheduling.dialects.catalogue import DIALECTS
from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords, MalformedError, words_in
from corral.control.scheduling.dialects.plain import PLAIN
from corral.control.scheduling.reading.bounds import believable_ask
from corral.control.scheduling.reading.ports import ports_of
from corral.control.scheduling.reading.rules import rules_of, without_turns
from corral.kinds.quantities import QuantityError
from corral.kinds.scheduling.names import GPU_DEVICES, GPU_MODELS, NVIDIA_GPU
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.fleet.rules import RuleSet

_SPEAKERS: tuple[tuple[Dialect, GpuWords], ...] = tuple((one, one.gpus) for one in DIALECTS if one.gpus is not None)
_UNCOUNTED = frozenset(name for _, words in _SPEAKERS for name in words.uncounted)
_NO_RULES = RuleSet()


class Request(NamedTuple):
    """A pod as placement sees it."""

    ask: PodAsk
    dialect: Dialect
    """In whose words GPUs are asked for."""
    complaint: str = ""
    """What cannot be read; such a pod is not placed."""

    def speaks_of(self, resource: str) -> bool:
        """Whether GPUs are asked for in words to which a resource belongs."""
        return self.dialect.gpus is not None and resource in self.dialect.gpus.resources


def request_of(pod: SchedulingPod, rules: Callable[[RuleSet], int], memory_unit: int = 0) -> Request:
    """Returns what a pod asks; `rules` numbers the sets of rules, as a fleet does.

    A pod whose words cannot be read still holds what can be: it may have been bound by somebody who understood them.
    """
    try:
        nanos = held_amounts(pod.spec, pod.status.container_statuses)
    except QuantityError as error:
        return Request(PodAsk(), PLAIN, f"an amount of a resource cannot be read: {error}")
    amounts = {name: units_of(amount) for name, amount in nanos.items()}
    asked = Asked(pod, amounts, memory_unit)
    dialect, words = _speaker(asked)
    complaint = _unsupported(pod)
    try:
        gpu = _narrowed(words.ask(asked), asked)
    except MalformedError as error:
        gpu, complaint = GpuAsk(amounts.get(NVIDIA_GPU, 0)), str(error)
    counted = ((name, amount) for name, amount in amounts.items() if name not in _UNCOUNTED)
    others = {name: amount for name, amount in counted if name not in (CPU, MEMORY)} | dict(ports_of(pod.spec))
    allowed = rules_of(pod.spec)
    if gpu.is_share and NVIDIA_GPU not in amounts:
        allowed = without_turns(allowed)
    ask = PodAsk(
        cpu=milli_of(nanos.get(CPU, 0)),
        memory=amounts.get(MEMORY, 0),
        gpu=gpu,
        others=tuple(sorted(others.items())),
        rules=rules(allowed),
    )
    ask, absurd = believable_ask(ask)
    return Request(ask, dialect, complaint or absurd)


def _speaker(asked: Asked) -> tuple[Dialect, GpuWords]:
    """Returns the dialect in which GPUs are asked for: the first whose words appear."""
    labels, annotations = asked.pod.metadata.labels, asked.pod.metadata.annotations
    for dialect, words in _SPEAKERS:
        if not words.resources.isdisjoint(asked.amounts):
            return dialect, words
        if not words.annotations.isdisjoint(annotations) or not words.annotations.isdisjoint(labels):
            return dialect, words
    return _SPEAKERS[-1]


def _narrowed(gpu: GpuAsk, asked: Asked) -> GpuAsk:
    """Returns the ask with the models and devices that our own annotations allow, in whichever dialect it is made."""
    if not gpu.number:
        return gpu
    models, devices = words_in(asked.said(GPU_MODELS)), words_in(asked.said(GPU_DEVICES))
    return gpu._replace(models=models or gpu.models, devices=devices or gpu.devices)


def _unsupported(pod: SchedulingPod) -> str:
    if pod.spec.resource_claims:
        return "the pod has resource claims (spec.resourceClaims), which are not placed here; kube-scheduler does"
    return ""
