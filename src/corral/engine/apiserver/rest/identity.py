"""Whether an object is the one that a path names: its kind and version, its name, its namespace.

Built-in and custom kinds differ in their words, because a real server decodes the first into Go types and looks at the
second as they are.
"""

import msgspec

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.schema.builtin import kind_definitions


def key_of(target: Target) -> str:
    """Returns the key under which the object that a path names rests."""
    return key_for(target.namespace, target.name)


def key_for(namespace: str, name: str) -> str:
    """Returns the key under which an object rests; the namespace is "" for what has none."""
    return f"{namespace}/{name}"


def other_uid(resource: Resource, target: Target, wanted: str, found: str, word: str = "UID") -> failures.ApiFailure:
    """409: the object under a name is not the one, or the version, that the client means; real servers tell where it rests."""
    place = "/".join(part for part in ("/registry", _room(resource), target.namespace, target.name) if part)
    detail = (
        f"StorageError: invalid object, Code: 4, Key: {place}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}"
    )
    return failures.conflict(resource.group, resource.plural, target.name, detail)


_ROOMS = {"endpoints": "services/endpoints", "services": "services/specs", "nodes": "minions"}
"""Where a real server keeps a few kinds, whose names have changed since."""


def _room(resource: Resource) -> str:
    if resource.structural or resource.group == "apiextensions.k8s.io":
        return f"{resource.group}/{resource.plural}"
    return _ROOMS.get(resource.plural, resource.plural)


def check_kind(obj: Object, resource: Resource) -> None:
    """Checks the kind and version of an object; built-in kinds may leave them out."""
    kind, version = obj.get("kind") or "", obj.get("apiVersion") or ""
    for key, value in (("kind", kind), ("apiVersion", version)):
        if not isinstance(value, str):
            text = f"json: cannot unmarshal {_json_type(value)} into Go struct field .{key} of type string"
            raise unrecognized(resource, f"couldn't get version/kind; json parse error: {text}", obj)
    if resource.structural:
        _check_custom(obj, resource, kind, version)
    elif (kind or resource.kind, version or resource.api_version) != (resource.kind, resource.api_version):
        short = (version or resource.api_version).rsplit("/", 1)[-1]
        problem = not_registered(kind, version or resource.api_version)
        if f"{version or resource.api_version}/{kind or resource.kind}" in kind_definitions():
            problem = f"converting ({short}.{kind}) to ({resource.go_type}): unknown conversion"
        raise failures.bad_request(f'{kind} in version "{short}" cannot be handled as a {resource.kind}: {problem}')
    obj["kind"], obj["apiVersion"] = kind or resource.kind, version or resource.api_version


def not_registered(kind: str, version: str) -> str:
    """Returns that a kind is unknown, as Go's registry of types says it."""
    return f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:110"'


def _check_custom(obj: Object, resource: Resource, kind: str, version: str) -> None:
    if not kind:
        shown = msgspec.json.encode(obj).decode()
        raise unrecognized(resource, f"Object 'Kind' is missing in '{excerpt(shown, 200)}'", obj)
    if version != resource.api_version:
        raise failures.bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
    if kind != resource.kind:
        meta = obj.get("metadata")
        name = meta.get("name") or "" if isinstance(meta, dict) else ""
        error = field_errors.invalid("kind", kind, f"must be {resource.kind}")
        raise failures.invalid(resource.group, kind, name, [error])


def check_name(obj: Object, target: Target, resource: Resource) -> None:
    """Refuses an object whose name or namespace is not that of the path."""
    meta = obj.get("metadata") or {}
    name = meta.get("name") or ""
    if not name:
        raise failures.bad_request(
            f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided"
        )
    if name != target.name:
        raise failures.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({target.name})"
        )
    check_namespace(obj, target.namespace, resource)


def check_namespace(obj: Object, namespace: str, resource: Resource) -> None:
    """Refuses an object that names another namespace than the path."""
    given = (obj.get("metadata") or {}).get("namespace")
    if given and given != namespace and resource.namespaced:
        raise failures.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    if given and not resource.namespaced:
        obj["metadata"].pop("namespace")


def unrecognized(resource: Resource, problem: str, given: object) -> failures.ApiFailure:
    """400: the body is not an object of any kind that the server could find out."""
    raw = given if isinstance(given, bytes) else msgspec.json.encode(given)
    shown = excerpt(raw[:120].decode("utf-8", "replace"), 30)
    return failures.bad_request(
        f"the object provided is unrecognized (must be of type {resource.kind}): {problem} ({shown or '<empty>'})"
    )


def excerpt(text: str, most: int) -> str:
    """Returns the beginning of a text from outside, safe to print."""
    shown = "".join(c if c.isprintable() else "?" for c in text[:most])
    return shown if len(text) <= most else shown + " ..."


def _json_type(value: object) -> str:
    names = {bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "value")
