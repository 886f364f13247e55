"""Which controllers there are, and which of them shall run."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from corral.control.plan_executor import Fence, PlanExecutor
from corral.control.runtime import Runtime
from corral.control.training.operator import Means
from corral.engine.controllers.default_accounts import DefaultAccounts
from corral.engine.controllers.departed_fake_nodes import DepartedFakeNodes
from corral.engine.controllers.deployments import Deployments
from corral.engine.controllers.endpoints import EndpointsOfServices
from corral.engine.controllers.followed_kinds import FollowedKinds
from corral.engine.controllers.garbage_collector import GarbageCollector
from corral.engine.controllers.jobs import Jobs
from corral.engine.controllers.namespace_deletion import NamespaceDeletion
from corral.engine.controllers.replica_sets import ReplicaSets
from corral.engine.controllers.scheduling import Scheduling
from corral.engine.controllers.training import Training
from corral.engine.controllers.volume_claims import VolumeClaims
from corral.errors import PermanentError


class Runnable(Protocol):
    """A controller as the process sees it."""

    async def run(self) -> None:
        """Works until cancelled."""


class Ground(NamedTuple):
    """What the process gives to all of its controllers."""

    runtime: Runtime
    kinds: FollowedKinds
    fence: Fence
    means: Means
    fake_nodes: frozenset[str] = frozenset()
    """The names of the fake nodes that stay."""


Maker = Callable[[Ground, PlanExecutor], Runnable]

ROSTER: dict[str, Maker] = {
    "namespace": lambda ground, executor: NamespaceDeletion(ground.runtime, ground.kinds, executor),
    "serviceaccount": lambda ground, executor: DefaultAccounts(ground.runtime, executor),
    "garbagecollector": lambda ground, executor: GarbageCollector(ground.runtime, ground.kinds, executor),
    "replicaset": lambda ground, executor: ReplicaSets(ground.runtime, executor),
    "endpoints": lambda ground, executor: EndpointsOfServices(ground.runtime, executor),
    "job": lambda ground, executor: Jobs(ground.runtime, executor),
    "deployment": lambda ground, executor: Deployments(ground.runtime, executor),
    "persistentvolume-binder": lambda ground, executor: VolumeClaims(ground.runtime, executor),
    "fakenode": lambda ground, executor: DepartedFakeNodes(ground.runtime, executor, ground.fake_nodes),
    "scheduler": lambda ground, _: Scheduling(ground.runtime, ground.fence, ground.fake_nodes),
    "training": lambda ground, _: Training(ground.runtime, ground.means, ground.fence),
}
"""By the names that kube-controller-manager uses, without their `-controller`.

`scheduler` stands in for kube-scheduler, `fakenode` and `training` are Corral's own; none of them is for an API where
others do the same.
"""

_OF_ALL_KINDS = frozenset({"namespace", "garbagecollector"})


def chosen(words: str) -> list[str]:
    """Returns the names that a list such as `*`, `-job` or `namespace,garbagecollector` means; all when it is empty."""
    asked = [word.strip() for word in words.split(",") if word.strip()]
    names = {word.lstrip("-") for word in asked} - {"*"}
    if unknown := names - ROSTER.keys():
        hint = f"known controllers: {', '.join(ROSTER)}"
        raise PermanentError("unknown-controller", f"there is no controller {', '.join(sorted(unknown))}", hint=hint)
    wanted = {word for word in asked if not word.startswith("-")}
    everything = not wanted or "*" in wanted
    return [name for name in ROSTER if (everything or name in wanted) and f"-{name}" not in asked]


def made(names: Iterable[str], ground: Ground) -> list[Runnable]:
    """Returns the controllers, ready to run, each with its own expectations of what its writes must show."""
    names = list(names)
    controllers = [ROSTER[name](ground, PlanExecutor(ground.runtime, fence=ground.fence)) for name in names]
    return [ground.kinds, *controllers] if _OF_ALL_KINDS.intersection(names) else controllers
