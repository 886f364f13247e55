"""One API call as a value: method, path, body and what may be done when no answer comes.

Both transports send `Call`s and know nothing else about Kubernetes. A call is `repeatable` when doing it twice ends in
the same state as doing it once, so that it may be sent again after an answer was lost.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from corral.adapters.kubernetes.addresses import query_of, quoted
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.log_source import LogOptions
from corral.ports.object_store import DeleteOptions, Patch, Scope, Start, WriteOptions
from corral.ports.remote_commands import RemoteCommand

JSON = "application/json"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_CONTENT_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",  # JSON is YAML, and every server knows this name
}


class Call(NamedTuple):
    """A request without host and credentials; `what` says it in words, for messages."""

    method: str
    target: str
    """Path and query, encoded."""
    what: str
    body: bytes | None = None
    content_type: str = JSON
    accept: str = JSON
    repeatable: bool = True


@lru_cache(maxsize=256)
def _collection_path(resource: ApiResource, namespace: str) -> str:
    """Returns the path of all objects of a resource, which most calls have in common."""
    parts = ["/api" if not resource.group else f"/apis/{_segment(resource.group)}", _segment(resource.version)]
    if namespace and resource.namespaced:
        parts += ["namespaces", _segment(namespace)]
    return "/".join([*parts, _segment(resource.plural)])


def path_of(resource: ApiResource, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """Returns the encoded path; names that would change its meaning are refused."""
    parts = [_collection_path(resource, namespace)]
    if name:
        parts.append(_segment(name))
    if subresource:
        parts += [_segment(part) for part in subresource.split("/")]
    return "/".join(parts)


def _segment(text: str) -> str:
    if text in (".", "..") or not text or any(sign in text for sign in "/%\\") or not text.isprintable():
        raise PermanentError("bad-name", f"{text!r} cannot be part of an API path")
    return quoted(text, b":@!$&'()*+,;=")


def _target(path: str, query: Mapping[str, str | int]) -> str:
    given = {name: value for name, value in query.items() if value != ""}
    return f"{path}?{query_of(given)}" if given else path


def _named(resource: ApiResource, key: ObjectKey, verb: str, subresource: str = "") -> str:
    suffix = f"/{subresource}" if subresource else ""
    return f"{verb} {resource.qualified}{suffix} {key}"


def _one(resource: ApiResource, key: ObjectKey, subresource: str = "") -> str:
    if not key.name:
        raise PermanentError("bad-name", f"a name of {resource.qualified} is missing")
    if resource.namespaced and not key.namespace:
        raise PermanentError("bad-name", f'the namespace of {resource.qualified} "{key.name}" is missing')
    return path_of(resource, key.namespace, key.name, subresource)


def get(resource: ApiResource, key: ObjectKey, *, subresource: str = "", accept: str = JSON) -> Call:
    """Reads one object."""
    return Call("GET", _one(resource, key, subresource), _named(resource, key, "get", subresource), accept=accept)


def _selection(scope: Scope) -> dict[str, str | int]:
    return {"labelSelector": scope.labels, "fieldSelector": scope.fields}


def _everywhere(resource: ApiResource, scope: Scope, verb: str) -> str:
    where = f" in {scope.namespace}" if scope.namespace else ""
    return f"{verb} {resource.qualified}{where}"


def list_page(resource: ApiResource, scope: Scope, *, limit: int = 500, next_page: str = "", accept: str = "") -> Call:
    """Reads one page of a list; the first has no `next_page`. A limit of 0 asks for everything at once."""
    query = _selection(scope) | {"limit": limit or "", "continue": next_page}
    accept = accept or (_METADATA_LIST if scope.metadata_only else JSON)
    target = _target(path_of(resource, scope.namespace), query)
    return Call("GET", target, _everywhere(resource, scope, "list"), accept=accept)


def watch(resource: ApiResource, scope: Scope, start: Start) -> Call:
    """Opens a stream of changes."""
    query: dict[str, str | int] = _selection(scope) | {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": start.timeout_seconds,
        "resourceVersion": start.revision,
    }
    if start.initial_events:
        query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    target = _target(path_of(resource, scope.namespace), query)
    accept = _METADATA if scope.metadata_only else JSON
    return Call("GET", target, _everywhere(resource, scope, "watch"), accept=accept)


def _writing(options: WriteOptions, manager: str) -> dict[str, str | int]:
    return {
        "fieldManager": options.manager or manager,
        "dryRun": "All" if options.dry_run else "",
        "fieldValidation": options.validation,
    }


def key_in(obj: Object) -> ObjectKey:
    """Returns where an object wants to be; an object without a name has an empty one."""
    metadata = obj.get("metadata") or {}
    return ObjectKey(metadata.get("namespace") or "", metadata.get("name") or "")


def create(resource: ApiResource, obj: Object, options: WriteOptions, *, manager: str, subresource: str = "") -> Call:
    """Stores a new object; with a subresource (pods/binding, pods/eviction) the object's name says whose."""
    key = key_in(obj)
    if resource.namespaced and not key.namespace:
        raise PermanentError("bad-name", f"the namespace of the new {resource.kind} is missing")
    path = _one(resource, key, subresource) if subresource else path_of(resource, key.namespace)
    return Call(
        "POST",
        _target(path, _writing(options, manager)),
        _named(resource, key, "create", subresource),
        encoded(obj),
        repeatable=options.dry_run or (options.deterministic and bool(key.name)),
    )


def update(resource: ApiResource, obj: Object, options: WriteOptions, *, manager: str, subresource: str = "") -> Call:
    """Replaces an object; repeatable, because after a success the old version no longer fits."""
    key = key_in(obj)
    versioned = bool((obj.get("metadata") or {}).get("resourceVersion"))
    return Call(
        "PUT",
        _target(_one(resource, key, subresource), _writing(options, manager)),
        _named(resource, key, "update", subresource),
        encoded(obj),
        repeatable=versioned or options.dry_run,
    )


def patch(
    resource: ApiResource,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions,
    *,
    manager: str,
    subresource: str = "",
) -> Call:
    """Changes parts of an object."""
    query = _writing(options, manager)
    if patch.form == "apply" and options.force:
        query["force"] = "true"
    return Call(
        "PATCH",
        _target(_one(resource, key, subresource), query),
        _named(resource, key, "apply" if patch.form == "apply" else "patch", subresource),
        encoded(patch.body),
        _CONTENT_TYPES[patch.form],
        repeatable=patch.form != "json" or options.dry_run,
    )


def delete(resource: ApiResource, key: ObjectKey, options: DeleteOptions) -> Call:
    """Asks for deletion; repeatable only with a uid, else a new object of the same name could be hit."""
    return Call(
        "DELETE",
        _one(resource, key),
        _named(resource, key, "delete"),
        _delete_body(options),
        repeatable=bool(options.uid) or options.dry_run,
    )


def delete_collection(resource: ApiResource, scope: Scope, options: DeleteOptions) -> Call:
    """Asks for deletion of everything in the scope."""
    target = _target(path_of(resource, scope.namespace), _selection(scope))
    what = _everywhere(resource, scope, "delete all")
    return Call("DELETE", target, what, _delete_body(options), repeatable=options.dry_run)


def _delete_body(options: DeleteOptions) -> bytes:
    body: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
    if options.propagation:
        body["propagationPolicy"] = options.propagation
    if options.grace_seconds is not None:
        body["gracePeriodSeconds"] = options.grace_seconds
    conditions = {"uid": options.uid, "resourceVersion": options.version}
    if any(conditions.values()):
        body["preconditions"] = {name: value for name, value in conditions.items() if value}
    if options.dry_run:
        body["dryRun"] = ["All"]
    return encoded(body)


def logs(pods: ApiResource, key: ObjectKey, options: LogOptions) -> Call:
    """Streams a container's log."""
    query: dict[str, str | int] = {
        "container": options.container,
        "follow": "true" if options.follow else "",
        "previous": "true" if options.previous else "",
        "timestamps": "true" if options.timestamps else "",
        "tailLines": "" if options.tail_lines is None else options.tail_lines,
        "sinceSeconds": "" if options.since_seconds is None else options.since_seconds,
        "sinceTime": options.since_time,
        "limitBytes": "" if options.limit_bytes is None else options.limit_bytes,
    }
    return Call("GET", _target(_one(pods, key, "log"), query), _named(pods, key, "get", "log"), accept="*/*")


def run(pods: ApiResource, command: RemoteCommand) -> Call:
    """Asks for a connection to a new command in a container; twice would be two commands."""
    flags = {
        "container": command.container,
        "stdin": "true" if command.takes_input else "",
        "stdout": "true",
        "stderr": "" if command.has_terminal else "true",
        "tty": "true" if command.has_terminal else "",
    }
    query = [query_of({name: value}) for name, value in flags.items() if value]
    try:
        query += [query_of({"command": word}) for word in command.words]
        target = f"{_one(pods, command.pod, 'exec')}?{'&'.join(query)}"
    except UnicodeEncodeError as error:
        # A word of a command line may be any bytes; nodes take text only.
        raise PermanentError("bad-word", f"a word of the command is not UTF-8: {error.object!r}") from error
    return Call("GET", target, _named(pods, command.pod, "create", "exec"), accept="*/*", repeatable=False)


def raw(method: str, target: str, body: bytes | None = None, *, content_type: str = JSON, accept: str = JSON) -> Call:
    """Any path of the server; only reads are repeated."""
    if not target.startswith("/") or not target.isprintable() or " " in target:
        raise PermanentError("bad-name", f"{target!r} is no path of an API server")
    reads = method in ("GET", "HEAD")
    return Call(method, target, f"{method} {target}", body, content_type, accept, repeatable=reads)


_encode = msgspec.json.Encoder().encode


def encoded(value: Any) -> bytes:
    """Returns the JSON of a value that a caller gave us."""
    try:
        return _encode(value)
    except (TypeError, ValueError, OverflowError, UnicodeEncodeError) as error:
        raise PermanentError("bad-object", f"the object is not JSON: {error}") from error
