"""Which rights the calls of a client need, as an API server sees them."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from corral.control.rights import Right
from corral.control.training.rights import RIGHTS
from corral.testing.fault_proxy import Seen

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}


class Use(NamedTuple):
    """One verb on one resource; a subresource follows it after a slash."""

    group: str
    resource: str
    verb: str


def use_of(seen: Seen) -> Use | None:
    """Returns what a request needs, None for one that everybody may ask, such as which resources there are."""
    group, _, rest = _within_group(urlsplit(seen.path).path.strip("/").split("/"))
    if len(rest) > 2 and rest[0] == "namespaces":
        rest = rest[2:]
    if not rest:
        return None
    resource = "/".join((rest[0], *rest[2:]))
    return Use(group, resource, _verb(seen, is_named=len(rest) > 1))


def granted(rights: Iterable[Right] = RIGHTS) -> set[Use]:
    """Returns everything that the operator, or whoever has some rights, is said to need."""
    return {Use(one.group, resource, verb) for one in rights for resource in one.resources for verb in one.verbs}


def _within_group(parts: list[str]) -> tuple[str, str, list[str]]:
    """Returns group, version and what follows them."""
    if parts[0] == "api":
        return "", "".join(parts[1:2]), parts[2:]
    if parts[0] == "apis" and len(parts) > 2:
        return parts[1], parts[2], parts[3:]
    return "", "", []


def _verb(seen: Seen, *, is_named: bool) -> str:
    if seen.method == "GET":
        return "watch" if seen.is_watch else "get" if is_named else "list"
    if seen.method == "DELETE":
        return "delete" if is_named else "deletecollection"
    return _VERBS[seen.method]
