"""Everything that a container needs to start, put together: variables, files, addresses, program, limits.

The steps read in order: fetch what the pod refers to, find its addresses, make its volumes, decide its variables, find its
program. Each is decided elsewhere; here they meet.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from corral.control.runtime import Runtime
from corral.engine.node.addressing.loopback import address_of
from corral.engine.node.addressing.paddle_pods import paddle_variables
from corral.engine.node.containers.launch import WAITING, Launch, Limits, Mount, StartRefusedError
from corral.engine.node.containers.termination_message import make_message_file, message_mount
from corral.engine.node.downward import PodFacts
from corral.engine.node.environment.commands import expanded_command
from corral.engine.node.environment.inheritance import inherited, merged
from corral.engine.node.environment.references import references_of as named_by_variables
from corral.engine.node.environment.resolution import Resolution, Surroundings, resolve
from corral.engine.node.fetched import Fetched, decoded
from corral.engine.node.folder import NodeFolder
from corral.engine.node.images import meaning as images
from corral.engine.node.images.register import ImageRegister
from corral.engine.node.machine.mounts import why_no_mounts
from corral.engine.node.machine.processors import chosen_processors
from corral.engine.node.membership.node_object import HOST_IP
from corral.engine.node.mpi.pod_finding import FOLDER_VARIABLE, NAMESPACE_VARIABLE
from corral.engine.node.mpi.roles import worker_command
from corral.engine.node.mpi.surroundings import mpi_surroundings
from corral.engine.node.pods.addresses import AddressBook, PodAddresses
from corral.engine.node.pods.devices import Devices
from corral.engine.node.pods.fetching import fetch
from corral.engine.node.pods.pod_logs import log_of
from corral.engine.node.pods.tokens import AccountTokens
from corral.engine.node.volumes.answering import Answering
from corral.engine.node.volumes.mounts import container_mounts, intended_mounts
from corral.engine.node.volumes.payload import Ingredients
from corral.engine.node.volumes.plan import MADE_OF_OBJECTS, Volume, plan_volumes
from corral.engine.node.volumes.references import TokenRequest, tokens_of
from corral.engine.node.volumes.references import references_of as named_by_volumes
from corral.engine.node.volumes.removal import is_kept_for, keep_for
from corral.engine.node.volumes.setting_up import set_up
from corral.engine.node.volumes.translation import path_translation
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.quantities import quantity_text, resource_quantity
from corral.kinds.references import ObjectKey
from corral.ports.refusals import NotFoundError, UnsupportedError

_NANO = 10**9

Translate = Callable[[str], str]


class Outfit(NamedTuple):
    """One start, and the ports that its process was given in place of those that it declares."""

    launch: Launch
    own_ports: Mapping[int, int]
    notes: tuple[str, ...]
    """What was left out of its variables, one sentence each."""


class Assets(NamedTuple):
    """What this machine gives to containers."""

    allocatable: Mapping[str, str]
    processors: tuple[int, ...]
    devices: Devices
    environment: Mapping[str, str]
    """The user's own; containers get a chosen part of it."""
    open_files: int | None = None
    """How many files the user's own programs may have open."""


class Neighbours(NamedTuple):
    """What other containers hold now, so that nothing is given twice."""

    uids: frozenset[str]
    processors: tuple[tuple[int, ...], ...]
    claims: Mapping[ObjectKey, frozenset[str]] = MappingProxyType({})
    """The uids of the pods with something that ran, and that are not over, by the claims that they mount."""


class _Baggage(NamedTuple):
    """What all containers of a pod share."""

    facts: PodFacts
    fetched: Fetched
    addresses: PodAddresses
    volumes: Mapping[str, Volume]
    tokens: Mapping[TokenRequest, str]


class Outfitter:
    """Puts together what containers need."""

    def __init__(self, runtime: Runtime, folder: NodeFolder, addresses: AddressBook, assets: Assets) -> None:
        self._runtime = runtime
        self._folder = folder
        self._addresses = addresses
        self._images = ImageRegister(folder.images)
        self._assets = assets
        self._tokens = AccountTokens(runtime.store, runtime.clock)
        self._answering = Answering()

    async def outfit(self, pod: Object, container: Object, number: int, neighbours: Callable[[], Neighbours]) -> Outfit:
        """Returns what one start of a container needs; StartRefusedError when something is missing."""
        baggage = await self._baggage(pod)
        # Asked for after all waiting: from here on nobody else can take anything in between.
        beside = neighbours()
        self._take_claims(pod, baggage.fetched, beside)
        found = self._resolution(container, baggage)
        meaning = self._meaning(pod, container, found.values)
        own_files = (Mount(source, path, read_only=True) for path, source in meaning.files.items())
        uid, name = uid_of(pod), str(container["name"])
        folder = self._folder.run(uid, name, number)
        mounts = (*self._mounts(pod, container, baggage, found.values), *own_files)
        mounts += _last_words(container, folder, mounts, (*meaning.argv, *found.values.values()))
        translate = _translation(baggage.addresses, mounts)
        told = [one._replace(value=translate(one.value)) for one in found.variables]
        whole = merged(inherited(self._assets.environment, pod), meaning.env, told)
        whole |= self._assets.devices.variables(uid, container, beside.uids)
        launch = Launch(
            folder=folder,
            argv=tuple(translate(word) for word in meaning.argv),
            env=self._completed(pod, meaning.dressed(whole), translate),
            workdir=translate(meaning.workdir) or self._scratch(uid),
            log=log_of(self._folder, pod, container, number).path,
            owner=f"{uid}/{name}/{number}",
            mounts=() if why_no_mounts() else mounts,
            limits=limits_of(container, self._assets, beside.processors),
            ports=tuple(sorted(baggage.addresses.own_ports.items())),
        )
        return Outfit(launch, baggage.addresses.own_ports, found.notes)

    def _meaning(self, pod: Object, container: Object, env: Mapping[str, str]) -> images.Meaning:
        """Returns what the container runs: its own words, those of its image, or what stands in for them here."""
        command, args = expanded_command(container, env)
        waiting = worker_command(pod, container)
        if waiting is not None:
            command, args = waiting, ()
        return images.resolve(
            str(container.get("image") or ""),
            command,
            args,
            str(container.get("workingDir") or ""),
            self._images.mappings(),
        )

    async def _baggage(self, pod: Object) -> _Baggage:
        namespace, name = key_of(pod)
        store = self._runtime.store
        fetched = await fetch(store, namespace, named_by_variables(pod) | named_by_volumes(pod))
        addresses = await self._addresses.of(pod, _texts(fetched), self._runtime.clock.now())
        try:
            tokens = await self._tokens.of(pod, tokens_of(pod))
        except (NotFoundError, UnsupportedError) as error:
            raise StartRefusedError("FailedMount", f"this API makes no tokens for accounts: {error}") from error
        pod_ip = HOST_IP if pod["spec"].get("hostNetwork") else address_of(namespace, name)
        facts = PodFacts(pod, (pod_ip,), (HOST_IP,), self._assets.allocatable)
        volumes = plan_volumes(pod, fetched, self._folder)
        await self._answering.refuse_silent(volumes.values())
        return _Baggage(facts, fetched, addresses, volumes, tokens)

    def _take_claims(self, pod: Object, fetched: Fetched, beside: Neighbours) -> None:
        """Makes the directories of claims theirs; of one that was made again, only when nobody uses the former one."""
        for claim in fetched.claims.values():
            users = beside.claims.get(key_of(claim), frozenset())
            if is_kept_for(self._folder, claim) or uid_of(pod) in users:
                continue
            if users:
                name = key_of(claim).name
                raise StartRefusedError(WAITING, f"waiting for pods that use the deleted claim of the name {name}")
            keep_for(self._folder, claim)

    def _resolution(self, container: Object, baggage: _Baggage) -> Resolution:
        services = self._addresses.services_of(baggage.addresses.namespace)
        around = Surroundings(baggage.facts, baggage.fetched, services, baggage.addresses.locate)
        replaced = baggage.addresses.values.get(str(container["name"]), {})
        return resolve(container, around, replaced)

    def _mounts(
        self, pod: Object, container: Object, baggage: _Baggage, values: Mapping[str, str]
    ) -> tuple[Mount, ...]:
        """Makes the volumes of the pod and returns what the container sees of them."""
        self._set_up(pod, baggage, values)
        return container_mounts(container, baggage.volumes, values)

    def _set_up(self, pod: Object, baggage: _Baggage, values: Mapping[str, str]) -> tuple[str, ...]:
        """Makes the volumes of the pod, or brings them up to date; returns the names of those that changed."""
        translate = _translation(baggage.addresses, self._paths_in_files(pod, baggage, values))
        tokens = baggage.tokens
        return set_up(
            baggage.volumes, Ingredients(baggage.facts, baggage.fetched, lambda request: tokens[request], translate)
        )

    @staticmethod
    def _paths_in_files(pod: Object, baggage: _Baggage, values: Mapping[str, str]) -> tuple[Mount, ...]:
        """Returns the mounts whose paths mounted texts may name; they count only where nothing can be mounted.

        A file is shared by all containers, so it knows the paths of all; those that depend on variables are left out.
        """
        if not why_no_mounts():
            return ()
        plain = [
            {**one, "volumeMounts": [mount for mount in one.get("volumeMounts") or () if not mount.get("subPathExpr")]}
            for one in _containers(pod)
        ]
        return tuple(mount for one in plain for mount in intended_mounts(one, baggage.volumes, values))

    async def give_up_port(self, pod: Object, loopback_port: int) -> str:
        """Gives a pod another loopback port for one that a foreign program has; returns a sentence about it."""
        return await self._addresses.give_up(pod["metadata"]["namespace"], loopback_port)

    async def renew(self, pod: Object) -> tuple[str, ...]:
        """Brings the files of a running pod up to date with the objects they are made of; returns what changed."""
        return self._set_up(pod, await self._baggage(pod), {})

    def forget(self, uid: str) -> None:
        """Lets go of what is kept in memory for a pod that is gone."""
        self._tokens.forget(uid)

    @staticmethod
    def is_renewable(pod: Object) -> bool:
        """Whether a pod has files that may change while it runs."""
        kinds = {kind for volume in pod["spec"].get("volumes") or () for kind in volume}
        return not kinds.isdisjoint(MADE_OF_OBJECTS)

    def _completed(self, pod: Object, env: Mapping[str, str], translate: Translate) -> dict[str, str]:
        """Adds what programs of ours, and pods of MPI and Paddle jobs, need to find the others."""
        whole = {**env, FOLDER_VARIABLE: self._folder.root, NAMESPACE_VARIABLE: pod["metadata"]["namespace"]}
        return {**whole, **mpi_surroundings(pod, whole, self._folder, translate), **paddle_variables(pod, whole)}

    def _scratch(self, uid: str) -> str:
        """Returns a folder of the pod's own, for containers of which nobody says where they work."""
        folder = os.path.join(self._folder.pod(uid), "work")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder


def _last_words(container: Object, folder: str, mounts: Sequence[Mount], texts: Iterable[str]) -> tuple[Mount, ...]:
    """Makes the file for the last words of a run, when it needs one, and returns where it sees it."""
    mount = message_mount(container, folder, mounts, texts)
    if mount is None:
        return ()
    make_message_file(mount)
    return (mount,)


def _translation(addresses: PodAddresses, mounts: tuple[Mount, ...]) -> Translate:
    """Returns what makes a text one of this machine: its addresses, and its paths where nothing can be mounted."""
    if not why_no_mounts():
        return addresses.translate
    paths = path_translation(mounts)
    return lambda text: addresses.translate(paths(text))


def _texts(fetched: Fetched) -> Iterator[str]:
    """Yields every text that a pod may read from objects, in which somebody may have written an address."""
    for config_map in fetched.config_maps.values():
        yield from (config_map.get("data") or {}).values()
    for secret in fetched.secrets.values():
        yield from (decoded(value).decode(errors="replace") for value in (secret.get("data") or {}).values())


def _containers(pod: Object) -> list[Object]:
    return [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]


def limits_of(container: Object, assets: Assets, assigned: Iterable[Sequence[int]]) -> Limits:
    """Returns what a container may use at most; `assigned` are the processors of the containers that run now."""
    limits = (container.get("resources") or {}).get("limits") or {}
    memory, cpu = _amount(limits.get("memory")), _amount(limits.get("cpu"))
    # A limit of nothing is no limit, as container runtimes take it.
    cpus = chosen_processors(cpu, assets.processors, assigned)
    return Limits(math.ceil(memory) if memory else None, cpus, assets.open_files)


def _amount(quantity: object) -> float | None:
    return None if quantity is None else resource_quantity(quantity_text(quantity)).nanos / _NANO
