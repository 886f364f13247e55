"""Taking single entries out of lists in metadata, by JSON patches that check what they take.

They work alike for every kind, need no version of the object, and leave the other entries untouched; when
the list has changed meanwhile the server refuses, and the decision is made again.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.reconcile.plan import Patch


def without_finalizer(resource: ApiResource, key: ObjectKey, uid: str, present: Sequence[str], name: str) -> Patch:
    """Returns the patch that takes one finalizer away."""
    taken = [(index, "", found) for index, found in enumerate(present) if found == name]
    return Patch(resource, key, _body(uid, "finalizers", taken), form="json")


def without_owners(
    resource: ApiResource, key: ObjectKey, uid: str, present: Sequence[str], gone: Callable[[str], bool]
) -> Patch:
    """Returns the patch that takes owner references away; `present` are the uids of all owners, in order."""
    taken = [(index, "/uid", owner) for index, owner in enumerate(present) if gone(owner)]
    return Patch(resource, key, _body(uid, "ownerReferences", taken), form="json")


def _body(uid: str, field: str, taken: Iterable[tuple[int, str, str]]) -> list[Object]:
    body: list[dict[str, Any]] = [{"op": "test", "path": "/metadata/uid", "value": uid}]
    for index, detail, value in sorted(taken, reverse=True):
        path = f"/metadata/{field}/{index}"
        body.append({"op": "test", "path": path + detail, "value": value})
        body.append({"op": "remove", "path": path})
    return body
