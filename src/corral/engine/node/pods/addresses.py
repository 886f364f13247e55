"""Where a pod finds the others on this machine: the loopback ports of everything that its spec names.

What its framework was told must be there before it starts; for a name that somebody wrote by hand, a new pod waits a
moment, since the Service may just be on its way, and then takes the text for what it is.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corral.control.object_cache import ObjectCache
from corral.engine.node.addressing.fixed_ports import fixed_port, is_undecided, spoken_texts
from corral.engine.node.addressing.framework_values import Membership, Values, membership_of, values_here, wanted_by
from corral.engine.node.addressing.ledger import PortLedger
from corral.engine.node.addressing.loopback import Ports, ServicePort, address_of
from corral.engine.node.addressing.translation import addresses_in, own_ports, translated
from corral.engine.node.containers.launch import WAITING, StartRefusedError
from corral.kinds.objects import Object, controller_of, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.ports.object_store import ObjectReader
from corral.ports.refusals import NotFoundError
from corral.reconcile.moments import seconds_of

PATIENCE = 2.0
"""Seconds after its creation in which a pod waits for Services that only a text names, and for the pods behind them."""


class PodAddresses(NamedTuple):
    """What is replaced for one pod: ports by Service, variables by container, and where the pod itself listens."""

    namespace: str
    ports: Ports
    values: Values
    own_ports: Mapping[int, int]

    def translate(self, text: str) -> str:
        """Returns a text with the addresses of this machine."""
        return translated(text, self.namespace, self.ports)

    def locate(self, service: Object, port: int) -> tuple[str, int]:
        """Returns where a port of a Service is reached here, for variables that tell of Services."""
        metadata = service["metadata"]
        found = self.ports.get(ServicePort(metadata["namespace"], metadata["name"], port))
        if found is None:
            return str(service["spec"]["clusterIP"]), port
        return address_of(metadata["namespace"], metadata["name"]), found


class AddressBook:
    """Finds the addresses of pods."""

    def __init__(
        self, reader: ObjectReader, services: ObjectCache[Object], pods: ObjectCache[Object], ledger: PortLedger
    ) -> None:
        self._reader = reader
        self._services = services
        self._pods = pods
        self._ledger = ledger

    def services_of(self, namespace: str) -> list[Object]:
        """Returns the Services that pods of a namespace are told of by variables."""
        return self._services.objects(namespace)

    async def of(self, pod: Object, files: Iterable[str], now: float) -> PodAddresses:
        """Returns the addresses of a pod; refuses while some are missing that its framework or its spec names.

        `files` are texts of ConfigMaps and Secrets. An address in them counts when there is such a Service; it is neither
        waited for nor told, since what looks like one may be a password.
        """
        namespace = pod["metadata"]["namespace"]
        member = await self._membership(pod)
        told = wanted_by(member) if member is not None else frozenset()
        spoken = {one for text in spoken_texts(pod) for one in addresses_in(text, namespace)}
        read = {one for text in files for one in addresses_in(text, namespace)}
        named = spoken | {one for one in read if self._services.get(ObjectKey(one.namespace, one.service)) is not None}
        fixed = self._fixed(named - told)
        if _is_new(pod, now):
            # Before anything is recorded: the pods behind a Service may be on their way, with ports of their own.
            _wait_for("a pod behind the Service", self._undecided(spoken - told))
        allotted = await self._ledger.allot((told | named) - fixed.keys())
        _wait_for("the Service", self._awaited(pod, told, allotted.missing, now))
        values = values_here(pod, member, allotted.ports) if member is not None else {}
        own = own_ports(pod, self._services.objects(namespace), allotted.ports)
        given = {port: one.loopback_port for port, one in own.items()}
        return PodAddresses(namespace, {**allotted.ports, **fixed}, values, given)

    def _fixed(self, named: Iterable[ServicePort]) -> dict[ServicePort, int]:
        """Returns the ports of servers that listen where they themselves want to."""
        found = {}
        for wanted in named:
            service = self._services.get(ObjectKey(wanted.namespace, wanted.service))
            port = None if service is None else fixed_port(wanted, service, self._pods.objects(wanted.namespace))
            if port is not None:
                found[wanted] = port
        return found

    def _undecided(self, spoken: Iterable[ServicePort]) -> set[ServicePort]:
        """Returns the ports of Services that nobody was told yet and that have no pod on this machine."""
        found = set()
        for wanted in spoken:
            service = self._services.get(ObjectKey(wanted.namespace, wanted.service))
            if service is None or wanted.port in self._ledger.recorded(service):
                continue
            if is_undecided(service, self._pods.objects(wanted.namespace)):
                found.add(wanted)
        return found

    async def give_up(self, namespace: str, loopback_port: int) -> str:
        """Gives a Service another loopback port for one that a foreign program has; returns a sentence about it."""
        for service in self._services.objects(namespace):
            for port, number in self._ledger.recorded(service).items():
                if number == loopback_port:
                    renewal = await self._ledger.renew(ServicePort(*key_of(service), port), number)
                    return "" if renewal is None else renewal.sentence
        return ""

    async def _membership(self, pod: Object) -> Membership | None:
        owner = controller_of(pod) or {}
        facts = next((one for one in TRAINING_KINDS if one.kind == owner.get("kind")), None)
        if facts is None:
            return None
        try:
            job = await self._reader.get(facts.resource, ObjectKey(pod["metadata"]["namespace"], owner["name"]))
        except NotFoundError:
            return None
        return membership_of(pod, job)

    def _awaited(
        self, pod: Object, told: frozenset[ServicePort], missing: frozenset[ServicePort], now: float
    ) -> set[ServicePort]:
        namespace = pod["metadata"]["namespace"]
        by_hand = {
            one
            for one in missing
            if one.namespace == namespace and self._services.get(ObjectKey(namespace, one.service)) is None
        }
        return set(told & missing) | (by_hand if _is_new(pod, now) else set())


def _is_new(pod: Object, now: float) -> bool:
    return now - (seconds_of(pod["metadata"].get("creationTimestamp")) or 0.0) < PATIENCE


def _wait_for(what: str, awaited: Iterable[ServicePort]) -> None:
    names = ", ".join(sorted(str(one) for one in awaited))
    if names:
        raise StartRefusedError(WAITING, f"waiting for {what} of {names}")
