"""`corral install`: what is put on a cluster, and how."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from corral.assembly.access import chosen_access, is_embedded

if TYPE_CHECKING:
    from corral.kinds.objects import Object


def install_manifests() -> "list[Object]":
    """Returns everything that `corral install` puts on a cluster, in order."""
    from corral.kinds.installed import definitions, policies

    return [*definitions(), *policies()]


def install(
    kubeconfig: str,
    context: str,
    *,
    on_target: Callable[[str], None],
    on_done: Callable[[str, str, str], None],
    manifests: "Sequence[Object]",
) -> None:
    """Applies the manifests to the chosen API.

    `on_target` is told which one before anything is written, and `on_done` of each object that is as it should be:
    what was changed, its name, and a note.
    """
    import asyncio

    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.system.clock import SystemClock
    from corral.control.installation import Optional
    from corral.control.installation import install as installing

    access, target = chosen_access(kubeconfig, context)
    on_target(target)

    async def apply() -> None:
        async with AsyncClient(access, manager="corral-install") as client:
            reason = _BUILT_IN if await is_embedded(client) else _TOO_OLD
            optional = Optional(_OPTIONAL_KINDS, reason)
            await installing(
                client, client, SystemClock(), manifests, optional=optional, on_done=lambda one: on_done(*one)
            )

    asyncio.run(apply())


_OPTIONAL_KINDS = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


_BUILT_IN = "this server has these rules built in"


_TOO_OLD = (
    "this server does not know the kinds: wrong jobs are let in, and fail with the reason; Kubernetes 1.30 has them"
)
