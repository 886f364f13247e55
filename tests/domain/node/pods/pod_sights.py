"""Builders of sights: a pod with one container `main`, unless said otherwise."""

from typing import Any

from corral.engine.node.pods.sight import ContainerSight, Held, PodSight, RunSight
from corral.kinds.objects import Object

NOW = 1_000_000.0


def running(number: int = 0, *, for_seconds: float = 5.0) -> RunSight:
    return RunSight(number, NOW - for_seconds)


def ended(
    code: int,
    number: int = 0,
    *,
    ago: float = 0.0,
    lasted: float = 5.0,
    reason: str = "",
    streak: int | None = None,
) -> RunSight:
    in_a_row = number if streak is None else streak
    return RunSight(number, NOW - ago - lasted, NOW - ago, code, reason, streak=in_a_row)


def container(name: str = "main", latest: RunSight | None = None, **more: Any) -> ContainerSight:
    spec: Object = {"name": name, "image": "python", **more.pop("spec", {})}
    return ContainerSight(spec, latest, **more)


def sidecar(name: str, latest: RunSight | None = None, **more: Any) -> ContainerSight:
    return container(name, latest, spec={"restartPolicy": "Always"}, **more)


def held(reason: str = "CreateContainerConfigError", *, again: float = NOW + 1) -> Held:
    return Held(reason, "it cannot be", NOW - 1, 1, again)


def pod(
    *mains: ContainerSight,
    inits: tuple[ContainerSight, ...] = (),
    policy: str = "Always",
    spec: Object | None = None,
    metadata: Object | None = None,
    status: Object | None = None,
    verdict: tuple[str, str] = ("", ""),
    taken: float = NOW - 100,
) -> PodSight:
    whole = {
        "metadata": {"name": "digits", "namespace": "team", "uid": "u-1", **(metadata or {})},
        "spec": {"restartPolicy": policy, **(spec or {})},
        "status": status or {},
    }
    return PodSight(whole, taken, inits, mains or (container(),), NOW, verdict)
