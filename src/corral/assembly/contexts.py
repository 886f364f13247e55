"""Contexts to choose from, and every setting with where it comes from: what `corral use` and `corral config` tell."""

from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.access import Chosen, choose, read_contexts
from corral.assembly.settings import Used, arena_file, keep_used, read_settings
from corral.control.settings.layers import NOTHING_SAID, Said, Settings
from corral.engine.supervisor.home import default_home
from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.context_choice import Target
    from corral.adapters.kubernetes.kubeconfig import Kubeconfig


class KnownContext(NamedTuple):
    """One API that can be chosen by name."""

    name: str
    namespace: str
    server: str
    is_chosen: bool = False


class Contexts(NamedTuple):
    """What can be chosen, and who chose what counts now; `trouble` when that is not there."""

    known: tuple[KnownContext, ...]
    chosen_by: str
    trouble: str = ""


def known_contexts(**flags: str) -> Contexts:
    """Returns every context, the embedded one last; nothing is started for it."""
    settings = read_settings(**flags)
    config = read_contexts(settings)
    known = [*_of_config(config), _embedded()]
    chosen, trouble = _chosen(settings, config)
    if chosen is None:
        return Contexts(tuple(known), "", trouble)
    at = _place(known, chosen.target)
    if at is not None:
        namespace = chosen.namespace(known[at].namespace)
        known[at] = known[at]._replace(namespace=namespace, is_chosen=True)
    return Contexts(tuple(known), chosen.target.chosen_by)


def _of_config(config: "Kubeconfig") -> list[KnownContext]:
    return [
        KnownContext(
            name,
            str(entry.get("namespace") or "default"),
            str(config.clusters.get(str(entry.get("cluster")), {}).get("server") or ""),
        )
        for name, entry in sorted(config.contexts.items())
    ]


def _embedded() -> KnownContext:
    from corral.adapters.kubernetes.context_choice import EMBEDDED

    port = default_home().port()
    return KnownContext(EMBEDDED, "default", f"http://127.0.0.1:{port}" if port else "")


def _place(known: list[KnownContext], target: "Target") -> int | None:
    """Returns which of the contexts is meant; the last is the embedded one, whose name others may have too."""
    if target.where == "embedded":
        return len(known) - 1
    return next((at for at, one in enumerate(known[:-1]) if one.name == target.context), None)


def _chosen(settings: Settings, config: "Kubeconfig | None" = None) -> tuple[Chosen | None, str]:
    """Returns what counts; a context that is not there is told instead of raised."""
    try:
        return choose(settings, config), ""
    except PermanentError as error:
        if error.code != "unknown-context":
            raise
        return None, error.message


def use(name: str, namespace: str) -> Used:
    """Chooses a context for later commands, with a namespace if one is given; without a name the one that counts now."""
    try:
        target = choose(read_settings(context=name)).target
    except PermanentError as error:
        if error.code != "unknown-context" or not name:
            raise
        raise PermanentError(error.code, f'there is no context "{name}"', hint=error.hint) from error
    if target.where == "in-cluster":
        raise PermanentError("bad-config", "in a pod without a kubeconfig there is no context to keep")
    used = Used(target.context, namespace)
    keep_used(used)
    return used


def forget_used() -> "Target | None":
    """Forgets what `corral use` chose; returns what counts from now on, None when that is not there."""
    keep_used(Used())
    chosen, _ = _chosen(read_settings())
    return chosen.target if chosen is not None else None


def where_set(**flags: str) -> dict[str, Said]:
    """Returns every setting with its value and where it comes from, for people."""
    from corral.control.settings.table import SETTINGS

    settings = read_settings(**flags)
    found = {one.name: settings.of(one.name) for one in SETTINGS}
    chosen, _ = _chosen(settings)
    if chosen is not None:
        found |= _about_api(chosen)
    fallbacks = {"color": "auto", "no-input": "false", "home": default_home().root, "arena-config": arena_file()}
    for name, value in fallbacks.items():
        if not found[name].value:
            found[name] = Said(value, NOTHING_SAID.origin)
    return found


def _about_api(chosen: Chosen) -> dict[str, Said]:
    """Returns what follows from the kubeconfig when nobody says otherwise."""
    target = chosen.target
    entry = chosen.config.contexts.get(target.context, {}) if target.where == "context" else {}
    own = Said(str(entry.get("namespace") or "default"), "context" if target.where == "context" else "default")
    said = chosen.said_namespace()
    found = {
        "context": Said(target.context or "(this pod)", target.chosen_by),
        "namespace": said if said.value else own,
    }
    if not chosen.settings.of("kubeconfig").value:
        found["kubeconfig"] = Said(":".join(chosen.config.sources), NOTHING_SAID.origin)
    return found
