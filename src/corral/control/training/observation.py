"""What the operator watches, and one job's part of it as the `World` that a decision looks at.

Children are followed by label, so that foreign pods cost nothing, and indexed by their managing owner's uid. What only
some jobs need (gangs, MPI) is followed only when those are asked for.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from corral.control.health import Verdict
from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.control.training.families import ON_NODE, OWNER, Parent, owner_uids, parent_of
from corral.control.training.nodes import LostNodes, NodeView
from corral.control.training.orders import Orders
from corral.kinds.objects import MetadataOnly, Object, is_controlled_by, uid_of
from corral.kinds.pod_view import PodView
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.mpi import MPI_JOB_V2
from corral.kinds.well_known import (
    CONFIG_MAP,
    HORIZONTAL_POD_AUTOSCALER,
    JOB,
    NODE,
    POD,
    PRIORITY_CLASS,
    ROLE,
    ROLE_BINDING,
    SERVICE,
    SERVICE_ACCOUNT,
)
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError
from corral.reconcile.training.labels import JOB_NAME, OPERATOR_NAME
from corral.reconcile.training.world import World

MPI_COMPANIONS: tuple[ApiResource, ...] = (CONFIG_MAP, SERVICE_ACCOUNT, ROLE, ROLE_BINDING, JOB)
"""What an MPIJob may own beside pods; also a Service, and a Secret, which an operator has no right to list."""

WAY_TO_INSTALL = "run `corral install`"
_NOT_INSTALLED = "not installed; looked for again and again"

_log = logging.getLogger("corral.control.training")

Look = Callable[[Parent], None]


class Observation:
    """The caches of one operator; `look` is called for every job that a change of something else concerns."""

    def __init__(self, runtime: Runtime, orders: Orders, look: Look) -> None:
        caches = runtime.caches
        self._look = look
        self._settings = orders.settings
        where, family = Scope(orders.namespace), Scope(orders.namespace, JOB_NAME)
        names_only = Scope(orders.namespace, JOB_NAME, metadata_only=True)
        self.jobs = {facts.kind: caches.of(facts.resource, where) for facts in orders.kinds}
        for jobs in self.jobs.values():
            jobs.way_to_install = WAY_TO_INSTALL
        self.pods = self._children(caches.shaped(POD, PodView, family))
        self._services = self._children(caches.shaped(SERVICE, MetadataOnly, names_only))
        self._autoscalers = self._children(caches.of(HORIZONTAL_POD_AUTOSCALER, family))
        self._companions: list[ObjectCache[Object]] = []
        if orders.has_mpi:
            of_second_dialect = Scope(orders.namespace, f"{JOB_NAME},{OPERATOR_NAME}={MPI_JOB_V2.controller_name}")
            scoped = [*((resource, family) for resource in MPI_COMPANIONS), (SERVICE, of_second_dialect)]
            self._companions = [self._children(caches.of(resource, scope)) for resource, scope in scoped]
        self._pod_groups = self._children(caches.of(orders.pod_groups, where)) if orders.pod_groups else None
        self._priorities: dict[str, int] = {}
        self._nodes = caches.shaped(NODE, NodeView)
        self._lost = LostNodes(
            self._nodes, runtime.store, runtime.clock, self._node_changed, orders.settings.node_grace
        )
        if orders.pod_groups is not None:
            self._settings = replace(orders.settings, priorities=self._priorities)
            caches.of(PRIORITY_CLASS).subscribe(self._take_priorities)
        self.pods.add_indexes({ON_NODE: lambda pod: (pod.node,) if pod.node else ()})

    def world(self, facts: KindFacts, key: ObjectKey) -> World | None:
        """Returns everything about one job, None when it is gone."""
        job = self.jobs[facts.kind].get(key)
        if job is None:
            return None
        uid = uid_of(job)
        pods = self.pods.by_index(OWNER, uid)
        companions = [one for cache in self._companions for one in _named(cache, uid)]
        launchers = [pod for one in _launchers(job, companions) for pod in self.pods.by_index(OWNER, one)]
        return World(
            job=job,
            pods=pods,
            services=self._services.by_index(OWNER, uid),
            pod_group=_ours(self._pod_groups, key, uid),
            autoscaler=_ours(self._autoscalers, key, uid),
            companions=companions,
            launcher_pods=launchers,
            lost_nodes=self._lost.among(pod.node for pod in (*pods, *launchers)),
            settings=self._settings,
        )

    async def confirm_losses(self, world: World) -> bool:
        """Looks at those nodes of a job that are about to be given up; True when there were any, and it is to be seen anew."""
        return await self._lost.confirm(world.lost_nodes)

    def all_jobs(self) -> Iterator[Object]:
        """Yields the jobs of all kinds."""
        return (job for cache in self.jobs.values() for job in cache.objects())

    def pods_of(self, job: Object) -> list[PodView]:
        """Returns the pods of a job, also those that a launcher Job manages for it."""
        launchers = [
            one for cache in self._companions if cache.resource == JOB for one in cache.by_index(OWNER, uid_of(job))
        ]
        return [pod for owner in (job, *launchers) for pod in self.pods.by_index(OWNER, uid_of(owner))]

    async def wait_synced(self) -> None:
        """Returns when all children are known; nodes are not waited for, since not every operator may read them."""
        for cache in self._essential():
            await cache.wait_synced()

    def verdicts(self) -> list[Verdict]:
        """Returns how the caches are; a kind that is not installed, and nodes that may not be read, are only told."""
        found = [cache.verdict() for cache in self._essential()]
        found.append(self._verdict_of_nodes())
        for cache in self.jobs.values():
            told = cache.verdict()
            is_missing = cache.is_missing
            found.append(told._replace(is_well=True, detail=_NOT_INSTALLED) if is_missing else told)
        return found

    def unsynced(self) -> list[Verdict]:
        """Returns the caches that have no complete list yet; not those of kinds that are not installed."""
        caches = [*self._essential(), *(cache for cache in self.jobs.values() if not cache.is_missing)]
        late = [one for one in caches if not one.has_synced]
        return [Verdict(f"cache of {one.title}", False, f"no complete list yet{_why(one)}") for one in late]

    def without_kinds(self) -> list[Verdict]:
        """Returns that there is nothing to look after, when no kind is installed."""
        is_idle = all(cache.is_missing for cache in self.jobs.values())
        detail = f"no training kind is installed: {WAY_TO_INSTALL}"
        return [Verdict("training kinds", False, detail)] if is_idle else []

    def ages(self) -> list[tuple[str, float]]:
        """Returns for each resource the seconds since the server was heard, those of the quietest cache."""
        oldest: dict[str, float] = {}
        for cache in (*self._essential(), self._nodes, *self.jobs.values()):
            name = cache.resource.qualified
            oldest[name] = max(cache.age(), oldest.get(name, 0.0))
        return list(oldest.items())

    def _verdict_of_nodes(self) -> Verdict:
        told = self._nodes.verdict()
        if not isinstance(self._nodes.failure, ForbiddenError):
            return told
        return Verdict(told.part, True, f"pods on lost nodes are not replaced: {self._nodes.failure}")

    def _essential(self) -> list[ObjectCache[Any]]:
        groups = [] if self._pod_groups is None else [self._pod_groups]
        return [self.pods, self._services, self._autoscalers, *self._companions, *groups]

    def _children(self, cache: ObjectCache[Any]) -> ObjectCache[Any]:
        cache.add_indexes({OWNER: owner_uids})
        cache.subscribe(self._take)
        return cache

    def _take(self, deltas: Sequence[Delta[Any]]) -> None:
        for key, old, new in deltas:
            try:
                parents = {parent_of(state) for state in (old, new) if state is not None}
            except (KeyError, TypeError, AttributeError):
                _log.exception("object not understood", extra={"key": str(key)})
                continue
            for parent in parents:
                if parent is not None:
                    self._look(parent)

    def _node_changed(self, name: str) -> None:
        for pod in self.pods.by_index(ON_NODE, name):
            parent = parent_of(pod)
            if parent is not None:
                self._look(parent)

    def _take_priorities(self, deltas: Sequence[Delta[Object]]) -> None:
        for key, _, new in deltas:
            if new is None:
                self._priorities.pop(key.name, None)
            else:
                self._priorities[key.name] = int(new.get("value") or 0)


def _ours(cache: ObjectCache[Object] | None, key: ObjectKey, uid: str) -> Object | None:
    """Returns the object of the job's own name, if the job manages it."""
    found = None if cache is None else cache.get(key)
    return found if found is not None and is_controlled_by(found, uid) else None


def _named(cache: ObjectCache[Object], uid: str) -> list[Object]:
    """Returns the children of a job with their own kind, which a server leaves out where it sends metadata only."""
    kind, version = cache.resource.kind, cache.resource.api_version
    found = cache.by_index(OWNER, uid)
    return [one if one["kind"] == kind else {**one, "kind": kind, "apiVersion": version} for one in found]


def _launchers(job: Object, companions: Sequence[Object]) -> set[str]:
    """Returns the uids of the Jobs that launch a job; of one that is gone the pods may still be there."""
    known = ((job.get("status") or {}).get("launcher") or {}).get("uid")
    return {*(uid_of(one) for one in companions if one["kind"] == JOB.kind), *([known] if known else [])}


def _why(cache: ObjectCache[Any]) -> str:
    return f": {cache.failure}" if cache.failure else ""
