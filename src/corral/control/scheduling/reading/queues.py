"""What a queue may have, as placement sees it: Corral's own kind Queue, and Volcano's where that is installed. Pure."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from corral.control.scheduling.amounts import CPU, MEMORY, milli_of, units_of
from corral.control.scheduling.reading.bounds import MOST
from corral.kinds.quantities import QuantityError, parse_quantity, quantity_of, quantity_text
from corral.kinds.queues.queue import MOST_WEIGHT, QueueSpec, QueueView
from corral.kinds.scheduling.names import NVIDIA_GPU
from corral.placement.admission.amounts import GPU, Pairs
from corral.placement.admission.queues import QueueTerms

_NANO, _MILLI_IN_NANOS = 10**9, 10**6
_Spec = TypeVar("_Spec")


class UnreadableQueueError(ValueError):
    """The spec is not of the shape of its kind; a server with our definition does not let such a queue in."""


class _VolcanoGuarantee(msgspec.Struct, kw_only=True):
    resource: dict[str, Any] | None = None


class _VolcanoSpec(msgspec.Struct, kw_only=True):
    """Of Volcano's queues what has a meaning here; `reclaimable` has none: what is beyond `deserved` is always given back."""

    weight: int | None = None
    capability: dict[str, Any] | None = None
    deserved: dict[str, Any] | None = None
    guarantee: _VolcanoGuarantee | None = None
    parent: str | None = None


def terms_of(view: QueueView) -> QueueTerms:
    """Returns what a Queue of `corral.dev` says; raises UnreadableQueueError when it cannot be read."""
    spec, name = _read(view.spec, QueueSpec), view.metadata.name
    return QueueTerms(
        name=name,
        parent=spec.parent,
        guarantee=amounts_in(spec.guarantee),
        limit=amounts_in(spec.limit),
        weight=spec.weight,
        lending=None if spec.lending is None else amounts_in(spec.lending),
        borrowing=None if spec.borrowing is None else amounts_in(spec.borrowing),
        strategy=spec.strategy or "",
        passing=spec.passing,
        order=spec.order,
        stretch=spec.stretch,
    )


def terms_of_volcano(view: QueueView) -> QueueTerms:
    """Returns what a Queue of Volcano says: it gets back what it deserves, and lends of that what it is not guaranteed."""
    spec, name = _read(view.spec, _VolcanoSpec), view.metadata.name
    kept = dict(amounts_in((spec.guarantee.resource if spec.guarantee else None) or {}))
    deserved = dict(amounts_in(spec.deserved or {}))
    guarantee = {one: max(deserved.get(one, 0), kept.get(one, 0)) for one in {**deserved, **kept}}
    lending = {one: guarantee[one] - amount for one, amount in kept.items()}
    return QueueTerms(
        name=name,
        parent=spec.parent or "",
        guarantee=tuple(sorted(guarantee.items())),
        limit=amounts_in(spec.capability or {}),
        weight=min(max(spec.weight or 1, 1), MOST_WEIGHT),
        lending=tuple(sorted(lending.items())) if kept else None,
    )


def amounts_in(given: Mapping[str, Any]) -> Pairs:
    """Returns quantities by resource name as placement counts them: thousandths of GPUs and cores, bytes, pieces."""
    try:
        found = {name: parse_quantity(quantity_text(text)).nanos for name, text in given.items()}
    except QuantityError as error:
        raise UnreadableQueueError(f"an amount cannot be read: {error}") from error
    return tuple(sorted(_amount(name, nanos) for name, nanos in found.items()))


def quantities_in(amounts: Mapping[str, int]) -> dict[str, str]:
    """Returns amounts as they are written in objects, by resource name; nothing that is zero."""
    # Whole GPUs are counted by the piece as well; what counts shares too is told.
    given = [
        (name, amount) for name, amount in amounts.items() if amount and not (name == NVIDIA_GPU and GPU in amounts)
    ]
    return dict(sorted(_quantity(name, amount) for name, amount in given))


def _amount(name: str, nanos: int) -> tuple[str, int]:
    """Returns an amount as placement counts it; beyond any machine all bounds are the same, below nothing too."""
    amount = milli_of(nanos) if name in (NVIDIA_GPU, CPU) else units_of(nanos)
    return GPU if name == NVIDIA_GPU else name, min(max(amount, 0), MOST)


def _quantity(name: str, amount: int) -> tuple[str, str]:
    if name in (GPU, CPU):
        return NVIDIA_GPU if name == GPU else CPU, quantity_of(amount * _MILLI_IN_NANOS)
    return name, quantity_of(amount * _NANO, "binary" if name == MEMORY else "decimal")


def _read(given: Any, kind: type[_Spec]) -> _Spec:
    try:
        return msgspec.convert(given or {}, kind)
    except msgspec.ValidationError as error:
        raise UnreadableQueueError(str(error)) from error
