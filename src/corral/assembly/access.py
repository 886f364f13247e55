"""Which API a command or a process talks to: by flags, by the environment, or the one of this machine."""

import json
import os
from typing import TYPE_CHECKING

from corral.assembly.embedded import embedded_access
from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.access import Access
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.kubernetes.context_choice import Target
    from corral.adapters.kubernetes.kubeconfig import Kubeconfig


def access_from_outside(kubeconfig: str, context: str) -> "Access":
    """Returns the API to work on: as asked for by flags, else the cluster around this pod, else the current context."""
    from corral.adapters.kubernetes.in_cluster import in_cluster_access, is_in_cluster
    from corral.adapters.kubernetes.kubeconfig import access_of, kubeconfig_paths, read_kubeconfig

    if not (kubeconfig or context) and is_in_cluster(os.environ):
        return in_cluster_access(os.environ)
    paths = [kubeconfig] if kubeconfig else kubeconfig_paths(os.environ)
    config = read_kubeconfig(paths, must_exist=bool(kubeconfig))
    context = context or config.current
    if not context:
        hint = "run it in a pod, or give --kubeconfig; for the embedded API: --kubeconfig $(corral kubeconfig)"
        raise PermanentError("unknown-context", "no kubeconfig names a current context", hint=hint)
    return access_of(config, context, os.environ)


async def is_embedded(client: "AsyncClient") -> bool:
    """Whether the API is the one that `corral up` runs."""
    return "+corral" in json.loads(await client.raw("GET", "/version"))["gitVersion"]


def chosen_access(kubeconfig: str, flag: str) -> "tuple[Access, str]":
    """Returns the API that a command talks to, and its name with who chose it."""
    return access_of_target(kubeconfig, chosen_target(kubeconfig, flag))


def chosen_target(kubeconfig: str, flag: str) -> "Target":
    """Returns which API a command talks to, and who chose it."""
    from corral.adapters.kubernetes.context_choice import Choices, choose_context
    from corral.adapters.kubernetes.in_cluster import is_in_cluster

    config = _read(kubeconfig)
    variable = "" if kubeconfig else os.environ.get("CORRAL_CONTEXT", "")
    return choose_context(
        Choices(flag, variable, "", config.current, tuple(config.contexts), is_in_cluster(os.environ))
    )


def _read(path: str) -> "Kubeconfig":
    from corral.adapters.kubernetes.kubeconfig import kubeconfig_paths, read_kubeconfig

    return read_kubeconfig([path] if path else kubeconfig_paths(os.environ), must_exist=bool(path))


def access_of_target(kubeconfig: str, target: "Target") -> "tuple[Access, str]":
    """Returns how to reach a chosen API, and its name with who chose it."""
    from corral.adapters.kubernetes.in_cluster import in_cluster_access
    from corral.adapters.kubernetes.kubeconfig import access_of

    if target.where == "embedded":
        access = embedded_access()
    elif target.where == "in-cluster":
        access = in_cluster_access(os.environ)
    else:
        access = access_of(_read(kubeconfig), target.context, os.environ)
    name = target.context or "this cluster"
    return access, f"{name} ({access.server}, chosen by {target.chosen_by})"
