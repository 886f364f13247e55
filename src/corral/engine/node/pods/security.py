"""What a pod asks about users and rights, where every container is a process of the node's own user. Pure.

Nothing of a securityContext is applied here. What forbids to run as this user is refused, in a kubelet's words; what would
only run with other rights than asked for is told.
"""

from collections.abc import Iterator
from typing import NamedTuple

from corral.engine.node.containers.launch import StartRefusedError
from corral.kinds.objects import Object, key_of, uid_of

_ROOT = 0
_OF_PODS = ("fsGroup", "supplementalGroups", "sysctls")
"""Fields of the pod alone that change nothing here."""
_OF_BOTH = ("seccompProfile", "appArmorProfile", "seLinuxOptions")
_OF_CONTAINERS = ("capabilities", "privileged", "readOnlyRootFilesystem")


class User(NamedTuple):
    """Who the node, and with it every container, runs as."""

    uid: int
    gid: int


def refuse_root(pod: Object, container: Object, user: User) -> None:
    """Raises StartRefusedError for a container that must not run as root, and would."""
    asked = _asked(pod, container)
    if not asked.get("runAsNonRoot"):
        return
    namespace, name = key_of(pod)
    who = f'(pod: "{name}_{namespace}({uid_of(pod)})", container: {container["name"]})'
    if asked.get("runAsUser") == _ROOT:
        raise StartRefusedError("CreateContainerConfigError", f"container's runAsUser breaks non-root policy {who}")
    if user.uid == _ROOT:
        why = "containers are processes of the node's user here; start Corral as another one"
        message = f"container has runAsNonRoot and image will run as root {who}: {why}"
        raise StartRefusedError("CreateContainerConfigError", message)


def not_applied(pod: Object, container: Object, user: User) -> str:
    """Returns a sentence on what of the securityContext changes nothing here, "" when that is nothing."""
    fields = ", ".join(_without_effect(pod, container, user))
    return (
        f"{container['name']}: not applied here, where it is a process of user {user.uid}: {fields}" if fields else ""
    )


def _without_effect(pod: Object, container: Object, user: User) -> Iterator[str]:
    whole, own, asked = _context(pod["spec"]), _context(container), _asked(pod, container)
    for field, here in (("runAsUser", user.uid), ("runAsGroup", user.gid)):
        if asked.get(field) not in (None, here):
            yield field
    yield from (field for field in _OF_PODS if whole.get(field) not in (None, []))
    yield from (field for field in _OF_BOTH if asked.get(field))
    yield from (field for field in _OF_CONTAINERS if own.get(field))
    if own.get("allowPrivilegeEscalation") is False:
        yield "allowPrivilegeEscalation"


def _asked(pod: Object, container: Object) -> Object:
    """Returns what holds for a container: its own words before those of the pod."""
    return {**_context(pod["spec"]), **_context(container)}


def _context(spec: Object) -> Object:
    given = spec.get("securityContext") or {}
    return {field: value for field, value in given.items() if value is not None}
