"""Everything that a container needs to start, put together: variables, files, addresses, program, limits."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from corral.control.runtime import Runtime
from corral.engine.node.addressing.loopback import address_of
from corral.engine.node.containers.launch import Launch, Limits
from corral.engine.node.downward import PodFacts
from corral.engine.node.environment.commands import expanded_command
from corral.engine.node.environment.inheritance import inherited, merged
from corral.engine.node.environment.references import references_of
from corral.engine.node.environment.resolution import Surroundings, Variable, resolve
from corral.engine.node.fetched import Fetched, Reference
from corral.engine.node.folder import NodeFolder
from corral.engine.node.images import meaning as images
from corral.engine.node.images.register import ImageRegister
from corral.engine.node.membership.node_object import HOST_IP
from corral.engine.node.pods.addresses import AddressBook, PodAddresses
from corral.engine.node.pods.pod_logs import log_of
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.quantities import quantity_text, resource_quantity
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP, SECRET
from corral.ports.refusals import NotFoundError

FOLDER_VARIABLE = "CORRAL_NODE_FOLDER"
"""Tells programs that stand in for those of a cluster where the node keeps its records."""
_RESOURCES: dict[str, ApiResource] = {"ConfigMap": CONFIG_MAP, "Secret": SECRET}
_NANO = 10**9


class Outfit(NamedTuple):
    """One start, and the ports that its process was given in place of those that it declares."""

    launch: Launch
    own_ports: Mapping[int, int] = {}


class Outfitter:
    """Puts together what containers need."""

    def __init__(
        self,
        runtime: Runtime,
        folder: NodeFolder,
        addresses: AddressBook,
        *,
        allocatable: Mapping[str, str],
        environment: Mapping[str, str],
    ) -> None:
        self._runtime = runtime
        self._folder = folder
        self._addresses = addresses
        self._images = ImageRegister(folder.images)
        self._allocatable = allocatable
        self._environment = environment

    def forget(self, uid: str) -> None:
        """Drops what is remembered of a pod that is gone."""

    async def outfit(self, pod: Object, container: Object, number: int) -> Outfit:
        """Returns what one start of a container needs; StartRefusedError when something is missing."""
        fetched = await self._fetched(pod, references_of(pod))
        addresses = await self._addresses.of(pod, _texts(pod, fetched), self._runtime.clock.now())
        variables = self._variables(pod, container, fetched, addresses)
        values = {one.name: one.value for one in variables}
        command, args = expanded_command(container, values)
        meaning = images.resolve(
            str(container.get("image") or ""),
            [addresses.translate(word) for word in command],
            [addresses.translate(word) for word in args],
            str(container.get("workingDir") or ""),
            self._images.mappings(),
        )
        env = merged(inherited(self._environment, pod), meaning.env, variables)
        env[FOLDER_VARIABLE] = self._folder.root
        uid, name = uid_of(pod), str(container["name"])
        launch = Launch(
            folder=self._folder.run(uid, name, number),
            argv=meaning.argv,
            env=meaning.dressed(env),
            workdir=meaning.workdir or self._scratch(uid),
            log=log_of(self._folder, pod, container, number).path,
            owner=f"{uid}/{name}/{number}",
            limits=_limits(container),
        )
        return Outfit(launch, addresses.own_ports)

    def _variables(self, pod: Object, container: Object, fetched: Fetched, addresses: PodAddresses) -> list[Variable]:
        namespace, name = key_of(pod)
        pod_ip = HOST_IP if pod["spec"].get("hostNetwork") else address_of(namespace, name)
        facts = PodFacts(pod, (pod_ip,), (HOST_IP,), self._allocatable)
        around = Surroundings(facts, fetched, locate=addresses.locate)
        replaced = addresses.values.get(str(container["name"]), {})
        found = resolve(container, around, replaced).variables
        return [one._replace(value=addresses.translate(one.value)) for one in found]

    async def _fetched(self, pod: Object, references: Iterable[Reference]) -> Fetched:
        found: dict[str, dict[str, Object]] = {"ConfigMap": {}, "Secret": {}}
        for reference in sorted({(one.kind, one.name) for one in references}):
            kind, name = reference
            try:
                key = ObjectKey(pod["metadata"]["namespace"], name)
                found[kind][name] = await self._runtime.store.get(_RESOURCES[kind], key)
            except NotFoundError:
                continue
        return Fetched(found["ConfigMap"], found["Secret"])

    def _scratch(self, uid: str) -> str:
        """Returns a folder of the pod's own, for containers of which nobody says where they work."""
        folder = os.path.join(self._folder.pod(uid), "work")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder


def _texts(pod: Object, fetched: Fetched) -> Iterator[str]:
    """Yields every text of a pod in which somebody may have written an address."""
    spec = pod["spec"]
    for container in [*(spec.get("initContainers") or ()), *spec["containers"]]:
        yield from container.get("command") or ()
        yield from container.get("args") or ()
        yield from (str(one.get("value") or "") for one in container.get("env") or ())
    for config_map in fetched.config_maps.values():
        yield from (config_map.get("data") or {}).values()


def _limits(container: Object) -> Limits:
    limits = (container.get("resources") or {}).get("limits") or {}
    memory = limits.get("memory")
    return Limits(None if memory is None else -(-resource_quantity(quantity_text(memory)).nanos // _NANO))
