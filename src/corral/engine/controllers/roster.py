"""Which controllers there are, and which of them shall run."""

from collections.abc import Callable, Iterable
from typing import Protocol

from corral.control.plan_executor import Fence, PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.default_accounts import DefaultAccounts
from corral.engine.controllers.deployments import Deployments
from corral.engine.controllers.endpoints import EndpointsOfServices
from corral.engine.controllers.followed_kinds import FollowedKinds
from corral.engine.controllers.garbage_collector import GarbageCollector
from corral.engine.controllers.jobs import Jobs
from corral.engine.controllers.namespace_deletion import NamespaceDeletion
from corral.engine.controllers.replica_sets import ReplicaSets
from corral.engine.controllers.training import Training
from corral.errors import PermanentError


class Runnable(Protocol):
    """A controller as the process sees it."""

    async def run(self) -> None:
        """Works until cancelled."""


Maker = Callable[[Runtime, FollowedKinds, PlanExecutor], Runnable]

ROSTER: dict[str, Maker] = {
    "namespace": NamespaceDeletion,
    "serviceaccount": lambda runtime, _, executor: DefaultAccounts(runtime, executor),
    "garbagecollector": GarbageCollector,
    "replicaset": lambda runtime, _, executor: ReplicaSets(runtime, executor),
    "endpoints": lambda runtime, _, executor: EndpointsOfServices(runtime, executor),
    "job": lambda runtime, _, executor: Jobs(runtime, executor),
    "deployment": lambda runtime, _, executor: Deployments(runtime, executor),
    "training": lambda runtime, _, executor: Training(runtime, executor),
}
"""By the names that kube-controller-manager uses, without their `-controller`; `training` is Corral's own operator."""

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


def made(names: Iterable[str], runtime: Runtime, kinds: FollowedKinds, fence: Fence) -> list[Runnable]:
    """Returns the controllers, ready to run, each with its own expectations of what its writes must show."""
    names = list(names)
    controllers = [ROSTER[name](runtime, kinds, PlanExecutor(runtime, fence=fence)) for name in names]
    return [kinds, *controllers] if _OF_ALL_KINDS.intersection(names) else controllers
