"""Claims of pods: on which nodes their volumes can be had, and which of them wait to be told a node. Pure.

Where no volumes are known at all, as on one machine, claims are folders and bind a pod to nothing.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from corral.control.scheduling.reading.rules import terms_of
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.scheduling.volume_view import (
    BY_FIRST_CONSUMER,
    NO_PROVISIONER,
    SELECTED_NODE,
    ClaimView,
    ClassView,
    VolumeView,
)
from corral.placement.fleet.rules import NAME_FIELD, Expression, RuleSet
from corral.placement.offers import NodeOffer

_UNBOUND: Final = "pod has unbound immediate PersistentVolumeClaims"
Terms = tuple[tuple[Expression, ...], ...]


class Stored(NamedTuple):
    """What the claims of a pod come to."""

    terms: tuple[Terms, ...] = ()
    """Of each of these alternatives of nodes one must hold."""
    complaint: str = ""
    """Why it cannot be placed as long as its claims are as they are."""
    to_choose: tuple[ObjectKey, ...] = ()
    """Claims whose volume is made where the pod goes, once they are told."""

    def narrowed(self, rules: RuleSet) -> RuleSet:
        """Returns rules that also allow no node without the volumes."""
        for terms in self.terms:
            affinity = tuple((*one, *other) for one in rules.affinity or ((),) for other in terms)
            rules = rules._replace(affinity=affinity)
        return rules

    def is_had_on(self, offer: NodeOffer) -> bool:
        """Whether its volumes can be had on a node."""
        return not self.complaint and self.narrowed(RuleSet()).selects(offer)


NOTHING = Stored()


class Storage:
    """All claims, volumes and classes."""

    def __init__(self) -> None:
        self.is_followed = False
        """Whether there are volumes at all."""
        self.unreadable: Callable[[], str] = str
        """Why they cannot be read, "" when they can."""
        self.claims: dict[ObjectKey, ClaimView] = {}
        self.volumes: dict[str, VolumeView] = {}
        self.classes: dict[str, ClassView] = {}

    def of(self, pod: SchedulingPod) -> Stored:
        """Returns what the claims of a pod come to; those of one that is bound come to nothing more."""
        if not self.is_followed or pod.spec.node_name:
            return NOTHING
        found = NOTHING
        if pod.spec.volumes and self.unreadable() and any(True for _ in claims_of(pod)):
            return Stored(complaint=self.unreadable())
        for key, is_made_later in claims_of(pod):
            one = self._of_claim(key, is_made_later=is_made_later)
            found = Stored(
                found.terms + one.terms, found.complaint or one.complaint, (*found.to_choose, *one.to_choose)
            )
        return found

    def _of_claim(self, key: ObjectKey, *, is_made_later: bool) -> Stored:
        claim = self.claims.get(key)
        if claim is None and is_made_later:
            return Stored(
                complaint=f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{key.name}"'
            )
        if claim is None:
            return Stored(complaint=f'persistentvolumeclaim "{key.name}" not found')
        if claim.metadata.deletion_timestamp:
            return Stored(complaint=f'persistentvolumeclaim "{key.name}" is being deleted')
        if claim.spec.volume_name:
            return self._of_volume(claim) if claim.is_bound else Stored(complaint=_UNBOUND)
        return self._unbound(key, claim)

    def _of_volume(self, claim: ClaimView) -> Stored:
        volume = self.volumes.get(claim.spec.volume_name)
        if volume is None:
            name, volume_name = claim.metadata.name, claim.spec.volume_name
            return Stored(
                complaint=f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume_name}"'
            )
        affinity = volume.spec.node_affinity
        return Stored((terms_of(affinity.required),)) if affinity is not None and affinity.required else NOTHING

    def _unbound(self, key: ObjectKey, claim: ClaimView) -> Stored:
        kind = self.classes.get(claim.spec.storage_class_name)
        if kind is None or kind.volume_binding_mode != BY_FIRST_CONSUMER:
            return Stored(complaint=_UNBOUND)
        if kind.provisioner == NO_PROVISIONER:
            return Stored(
                complaint=f'persistentvolumeclaim "{key.name}" is of class {kind.metadata.name}, whose volumes nobody makes: '
                "they are not chosen among here; name one in spec.volumeName of the claim"
            )
        chosen = claim.metadata.annotations.get(SELECTED_NODE)
        if chosen:  # by another pod of it, or by an earlier try
            return Stored(((((Expression(NAME_FIELD, "In", (chosen,)),)),),))
        return Stored(_places_of(kind), to_choose=(key,))


def _places_of(kind: ClassView) -> tuple[Terms, ...]:
    terms = tuple(
        tuple(Expression(one.key, "In", tuple(one.values)) for one in place.match_label_expressions or ())
        for place in kind.allowed_topologies or ()
    )
    return (tuple(one for one in terms if one),) if any(terms) else ()


def claims_of(pod: SchedulingPod) -> Iterator[tuple[ObjectKey, bool]]:
    """Yields the claims of a pod, and whether each is made for it once it is there."""
    namespace = pod.metadata.namespace
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            yield ObjectKey(namespace, volume.persistent_volume_claim.claim_name), False
        elif volume.ephemeral is not None:
            yield ObjectKey(namespace, f"{pod.metadata.name}-{volume.name}"), True
