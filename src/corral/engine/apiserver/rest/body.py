"""From the bytes of a request to an object of the right kind and shape, with what strict clients want to hear.

Unknown and duplicate fields are dropped; `fieldValidation` says whether that is an error (Strict), a Warning header
(Warn, the default) or nothing (Ignore).
"""

import asyncio
from typing import Any, NamedTuple

import msgspec

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.identity import check_kind, unrecognized
from corral.engine.apiserver.schema import protobuf
from corral.engine.apiserver.schema.builtin import kind_definitions
from corral.engine.apiserver.schema.decoding import Checked, check
from corral.engine.apiserver.schema.depth import decode
from corral.engine.apiserver.schema.duplicates import duplicate_fields, strict_errors
from corral.engine.apiserver.schema.pruning import check_custom
from corral.errors import CorralError

JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
READABLE = (JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE)
MOST_YAML_VALUES = 100_000
"""A second of a thread's time, and far more than any object has."""
QUICK_BYTES = 16 << 10
DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"


class Body(NamedTuple):
    """A decoded object and the warnings to send with the answer."""

    obj: Object
    warnings: list[str]


async def object_in(request: Request, resource: Resource, field_validation: str) -> Body:
    """Returns the object in a request's body, checked to be of the resource's kind and shape."""
    kind = request.content_type or JSON_TYPE
    if kind not in READABLE or (kind == PROTOBUF_TYPE and resource.structural):
        raise failures.unsupported_media_type(READABLE)
    raw = await request.body()
    decoded = _parsed(raw, resource) if kind == JSON_TYPE else await parsed(raw, kind)
    if decoded is None and raw.strip() == b"null":
        decoded = {}
    if not isinstance(decoded, dict):
        problem = f"json: cannot unmarshal {type(decoded).__name__} into an object"
        raise unrecognized(resource, f"couldn't get version/kind; json parse error: {problem}", raw)
    check_kind(decoded, resource)
    doubles = duplicate_fields(raw, decoded) if field_validation != "Ignore" and kind == JSON_TYPE else []
    checked = check_shape(decoded, resource)
    owners = _without_double_owners(decoded)
    if field_validation == "Ignore":
        return Body(decoded, owners)
    found = _findings(strict_errors(raw, doubles, checked.unknown), resource, field_validation)
    return Body(decoded, found + owners)


def _without_double_owners(obj: Object) -> list[str]:
    """Removes owners that stand twice, and returns the warning for it."""
    meta = obj.get("metadata")
    owners = meta.get("ownerReferences") if isinstance(meta, dict) else None
    if not owners or len(owners) < 2:
        return []
    kept = [owner for index, owner in enumerate(owners) if owner not in owners[:index]]
    if len(kept) == len(owners):
        return []
    obj["metadata"]["ownerReferences"] = kept
    uids = dict.fromkeys(o.get("uid", "") for index, o in enumerate(owners) if o in owners[:index])
    return [
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
        "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + ", ".join(uids)
    ]


def check_shape(obj: Object, resource: Resource) -> Checked:
    """Removes unknown fields in place and lists them; 400 for wrong types."""
    checked = check_custom(resource.schema, obj) if resource.structural else check(resource.schema, obj)
    if checked.error:
        raise failures.bad_request(f"{_handled(resource)}: {checked.error}")
    return checked


def shaped(obj: Object, resource: Resource, field_validation: str) -> Body:
    """Returns an object that did not come as a whole (a patch made it) with its unknown fields removed and judged."""
    unknown = [f'unknown field "{path}"' for path in check_shape(obj, resource).unknown]
    return Body(obj, _findings(unknown, resource, field_validation))


def _findings(found: list[str], resource: Resource, field_validation: str) -> list[str]:
    if found and field_validation == "Strict":
        text = "strict decoding error: " + ", ".join(found)
        raise failures.bad_request(f"{_handled(resource)}: {text}")
    return found if field_validation == "Warn" else []


async def parsed(raw: bytes, kind: str) -> Any:
    """Returns the value of a body of one of the readable types."""
    if kind == PROTOBUF_TYPE:
        return parsed_protobuf(raw)
    return await parsed_yaml(raw) if kind == YAML_TYPE else parsed_json(raw)


def parsed_protobuf(raw: bytes) -> Object:
    """Returns the object in a protobuf body; 400 when it cannot be read."""
    try:
        return protobuf.decode_object(raw, _message_of)
    except protobuf.ProtobufError as error:
        raise failures.bad_request(f"the body cannot be read as protobuf: {error}") from error


def _message_of(api_version: str, kind: str) -> str:
    if kind == "DeleteOptions":
        return DELETE_OPTIONS
    message = kind_definitions().get(f"{api_version}/{kind}", "")
    return message if protobuf.knows(message) else ""


async def parsed_yaml(raw: bytes) -> Any:
    """Returns the value of a YAML body (JSON is YAML); 400 with the place of the mistake."""
    # A long one takes more than a second; its thread gives way every few milliseconds.
    return _of_yaml(raw) if len(raw) <= QUICK_BYTES else await asyncio.to_thread(_of_yaml, raw)


def _of_yaml(raw: bytes) -> Any:
    quick = _plain_json(raw) if raw[:1] == b"{" else None  # what most clients send as YAML: ten times as quick
    if quick is not None:
        return quick
    from corral.kinds.documents import (
        Limits,
        load_document,
    )  # here, because the YAML library takes a tenth of the start

    try:
        return load_document(raw, limits=Limits(values=MOST_YAML_VALUES))
    except CorralError as error:
        raise failures.bad_request(f"error parsing YAML: {error.message}") from error


def _plain_json(raw: bytes) -> Any:
    """Returns the value of a JSON text; None when the slow way must judge it: no JSON, too deep, or fields twice."""
    try:
        value = decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return None if duplicate_fields(raw, value) else value


def parsed_json(raw: bytes, prefix: str = "") -> Any:
    """Returns the value of a JSON body; 400 with what is wrong, behind a prefix."""
    try:
        return decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise failures.bad_request(prefix + malformed(error)) from error


def _parsed(raw: bytes, resource: Resource) -> Any:
    try:
        return decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise unrecognized(resource, f"couldn't get version/kind; json parse error: {malformed(error)}", raw) from error


def malformed(error: Exception) -> str:
    """Returns what is wrong with JSON, in the real server's words where they are fixed."""
    if isinstance(error, RecursionError):
        return "exceeded max depth"
    return "unexpected end of JSON input" if "truncated" in str(error) else str(error)


def _handled(resource: Resource) -> str:
    return f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
