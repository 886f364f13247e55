"""The names of a definition: accepted when no other definition of the group has them; then it is established.

On a real cluster controllers do this a moment after the write. Here it is one pure step of the write itself, so a
client that waits for Established never waits.
"""

from collections.abc import Iterable
from typing import Any, Final

CLEANUP_FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
"""Put on a definition when it is deleted, and removed once its objects are gone."""

Crd = dict[str, Any]


def establish(crd: Crd, others: Iterable[Crd], now: str) -> None:
    """Sets acceptedNames and the conditions NamesAccepted and Established; `now` is the time to note in changes."""
    spec, status = crd["spec"], crd.setdefault("status", {})
    accepted: dict[str, Any] = dict(status.get("acceptedNames") or {"plural": "", "kind": ""})
    resources, kinds = _taken(crd, others)
    conflicts: list[tuple[str, str]] = []
    for key, taken, reason in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        wanted = spec["names"].get(key)
        message = _conflict(wanted, accepted.get(key), taken)
        if message:
            conflicts.append((reason, message))
        else:
            _set(accepted, key, wanted)
    _set(accepted, "categories", spec["names"].get("categories"))
    status["acceptedNames"] = accepted
    if conflicts:
        reason, message = conflicts[-1]
        set_condition(crd, "NamesAccepted", "False", reason, message, now)
        if not _has_condition(crd, "Established", "True"):
            set_condition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now)
        return
    set_condition(crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now)
    if not _has_condition(crd, "Established", "True"):
        message = "the initial names have been accepted"
        set_condition(crd, "Established", "True", "InitialNamesAccepted", message, now)


def is_established(crd: Crd) -> bool:
    """Tells whether the resources of a definition are served."""
    return _has_condition(crd, "Established", "True")


def mark_terminating(crd: Crd, now: str) -> None:
    """Notes that a definition was deleted: its objects go first, so a finalizer holds it until they are gone."""
    finalizers = crd["metadata"].setdefault("finalizers", [])
    if CLEANUP_FINALIZER not in finalizers:
        finalizers.append(CLEANUP_FINALIZER)
    message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    set_condition(crd, "Terminating", "True", "InstanceDeletionPending", message, now)


def set_condition(crd: Crd, kind: str, status: str, reason: str, message: str, now: str) -> None:
    """Sets one condition; the time changes only with the status."""
    conditions = crd["status"].get("conditions") or []
    crd["status"]["conditions"] = conditions
    condition = next((c for c in conditions if c["type"] == kind), None)
    if condition is None:
        condition = {"type": kind, "status": "", "lastTransitionTime": now}
        conditions.append(condition)
    if condition["status"] != status:
        condition["lastTransitionTime"] = now
    condition.update(status=status, reason=reason, message=message)


def _has_condition(crd: Crd, kind: str, status: str) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(c["type"] == kind and c["status"] == status for c in conditions)


def _taken(crd: Crd, others: Iterable[Crd]) -> tuple[set[str], set[str]]:
    """Returns the resource names and kinds that other definitions of the group have."""
    resources: set[str] = set()
    kinds: set[str] = set()
    group = crd["spec"].get("group")  # a definition is looked at here before anybody has found it valid
    for other in others:
        if other["spec"]["group"] != group or other["metadata"]["name"] == crd["metadata"]["name"]:
            continue
        names = (other.get("status") or {}).get("acceptedNames") or {}
        resources.update({names.get("plural", ""), names.get("singular", ""), *(names.get("shortNames") or ())})
        kinds.update({names.get("kind", ""), names.get("listKind", "")})
    return resources - {""}, kinds - {""}


def _conflict(wanted: Any, accepted: Any, taken: set[str]) -> str:
    if isinstance(wanted, list):
        clashes = [name for name in wanted if name not in (accepted or ()) and name in taken]
        texts = [f'"{name}" is already in use' for name in clashes]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""
    return f'"{wanted}" is already in use' if wanted != accepted and wanted in taken else ""


def _set(names: dict[str, Any], key: str, value: Any) -> None:
    if value:
        names[key] = value
    else:
        names.pop(key, None)
