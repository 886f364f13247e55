"""Which API a command or a process talks to: by flags, by the environment, or the one of this machine."""

import os
from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.settings import read_settings
from corral.assembly.this_machine import embedded_access
from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.access import Access
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.kubernetes.context_choice import Target
    from corral.adapters.kubernetes.kubeconfig import Kubeconfig
    from corral.control.settings.layers import Said, Settings


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
    import json  # commands of people do not ask this way

    return "+corral" in json.loads(await client.raw("GET", "/version"))["gitVersion"]


class Chosen(NamedTuple):
    """Which API a command talks to, and what that follows from."""

    settings: "Settings"
    config: "Kubeconfig"
    target: "Target"

    def namespace(self, of_context: str) -> str:
        """Returns where names are looked up: as somebody said, else as the context says."""
        return self.said_namespace().value or of_context

    def said_namespace(self) -> "Said":
        """Returns the namespace that somebody set, and where."""
        return self.settings.of("namespace", on_cluster=self.target.where != "embedded")


def choose(settings: "Settings", config: "Kubeconfig | None" = None) -> Chosen:
    """Returns which API a command talks to, and who chose it; the kubeconfig is read unless it is given."""
    from corral.adapters.kubernetes.context_choice import Choices, choose_context
    from corral.adapters.kubernetes.in_cluster import is_in_cluster

    config, asked = config or read_contexts(settings), settings.of("context")
    choices = Choices(asked.value, asked.origin, config.current, tuple(config.contexts), is_in_cluster(os.environ))
    return Chosen(settings, config, choose_context(choices))


def read_contexts(settings: "Settings") -> "Kubeconfig":
    """Returns the kubeconfig that counts; a file that somebody named must be there."""
    from corral.adapters.kubernetes.kubeconfig import kubeconfig_paths, read_kubeconfig

    said = settings.of("kubeconfig")
    if not said.value or said.origin == "KUBECONFIG":
        return read_kubeconfig(kubeconfig_paths(os.environ))
    return read_kubeconfig([os.path.expanduser(said.value)], must_exist=True)


def is_this_machine(kubeconfig: str, context: str) -> bool:
    """Whether a command talks to the API of this machine; nothing is started for the answer."""
    return choose(read_settings(kubeconfig=kubeconfig, context=context)).target.where == "embedded"


def access_to(chosen: Chosen) -> "tuple[Access, str]":
    """Returns how to reach a chosen API, and its name with who chose it."""
    from corral.adapters.kubernetes.in_cluster import in_cluster_access
    from corral.adapters.kubernetes.kubeconfig import access_of

    target = chosen.target
    if target.where == "embedded":
        access = embedded_access()
    elif target.where == "in-cluster":
        access = in_cluster_access(os.environ)
    else:
        access = access_of(chosen.config, target.context, os.environ)
    name = target.context or "this cluster"
    return access, f"{name} ({access.server}, chosen by {target.chosen_by})"


def chosen_access(kubeconfig: str, flag: str) -> "tuple[Access, str]":
    """Returns the API that a command talks to, and its name with who chose it."""
    return access_to(choose(read_settings(kubeconfig=kubeconfig, context=flag)))
