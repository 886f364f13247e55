"""What a path names. The grammar of the Kubernetes API is uniform, so it is parsed, not routed.

    /api/v1/...  or  /apis/GROUP/VERSION/...   followed by
    [watch/] [namespaces/NAMESPACE/] PLURAL [/NAME [/SUBRESOURCE...]]

`namespaces` itself is a resource: `/api/v1/namespaces/x` names the namespace x, `/api/v1/namespaces/x/status` its
status, `/api/v1/namespaces/x/pods` the pods in it.
"""

from urllib.parse import unquote

import msgspec

from corral.engine.apiserver import failures

NAMESPACE_SUBRESOURCES = frozenset(("status", "finalize"))


class Target(msgspec.Struct, frozen=True):
    """The resource, object or subresource that a path names; "" stands for a part that is absent."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch_prefix: bool = False


def target_of(path: bytes) -> Target | None:
    """Returns what a raw path names, or None when it is not below a group version. Each segment is decoded once."""
    try:
        segments = [unquote(s.decode("ascii", "replace"), errors="strict") for s in path.split(b"/")[1:]]
    except UnicodeDecodeError:
        raise failures.bad_request("the path is not UTF-8") from None
    if segments and segments[-1] == "":
        segments.pop()
    if len(segments) >= 3 and segments[0] == "api":
        group, version, rest = "", segments[1], segments[2:]
    elif len(segments) >= 4 and segments[0] == "apis":
        group, version, rest = segments[1], segments[2], segments[3:]
    else:
        return None
    watch_prefix = rest[0] == "watch" and len(rest) > 1
    return _below(group, version, rest[1:] if watch_prefix else rest, watch_prefix)


def _below(group: str, version: str, rest: list[str], watch_prefix: bool) -> Target | None:
    if "" in rest:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) >= 3 and rest[2] not in NAMESPACE_SUBRESOURCES:
        namespace, rest = rest[1], rest[2:]
    plural = rest[0]
    name = rest[1] if len(rest) > 1 else ""
    subresource = "/".join(rest[2:])
    return Target(group, version, plural, namespace, name, subresource, watch_prefix)
