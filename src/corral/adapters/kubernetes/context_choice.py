"""Which API a command talks to. One pure function, so that the rule can be read, tested and explained.

The order: what was asked for by name (`--context`, then CORRAL_CONTEXT, then the project's file, then what `corral use NAME`
chose, then the user's file), then the current context of the kubeconfig (in a pod without kubeconfig: its own cluster),
then the embedded API.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from corral.errors import PermanentError

EMBEDDED = "embedded"
"""The name by which users choose the embedded API; it wins over a kube context of the same name."""


class Choices(NamedTuple):
    """Everything the choice depends on; "" means not said."""

    asked: str = ""
    """The context that somebody asked for by name."""
    asked_by: str = ""
    """Who did, in words."""
    current: str = ""
    contexts: Sequence[str] = ()
    in_cluster: bool = False


class Target(NamedTuple):
    """The chosen API and who chose it, in words for the line that commands write to stderr."""

    where: Literal["embedded", "context", "in-cluster"]
    context: str
    chosen_by: str


def choose_context(choices: Choices) -> Target:
    """Returns the API to talk to; a context that was asked for by name and is not there is an error, never skipped."""
    if choices.asked:
        return _named(choices.asked, choices.asked_by, choices.contexts)
    if choices.current:
        return _named(choices.current, "current kube context", choices.contexts, embedded=False)
    if choices.in_cluster:
        return Target("in-cluster", "", "service account of this pod")
    return Target("embedded", EMBEDDED, "default")


def _named(name: str, chooser: str, contexts: Sequence[str], *, embedded: bool = True) -> Target:
    if embedded and name == EMBEDDED:
        return Target("embedded", EMBEDDED, chooser)
    if name in contexts:
        return Target("context", name, chooser)
    known = ", ".join([*sorted(contexts), EMBEDDED])
    raise PermanentError(
        "unknown-context", f'there is no context "{name}" (chosen by {chooser})', hint=f"known contexts: {known}"
    )
