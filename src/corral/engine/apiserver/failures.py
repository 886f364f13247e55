"""Failures of the API: every answer that is not a success, as a Kubernetes Status object.

`ApiFailure` is raised anywhere below the HTTP layer and rendered there, once. The constructors carry the exact texts
of kube-apiserver, because clients (and people's scripts) match on them.
"""

from collections.abc import Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError


class ApiFailure(Exception):  # noqa: N818 - named for what it is on the wire: a Status with status "Failure"
    """An unsuccessful answer: HTTP code, machine reason, message, and optional details for clients."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.retry_after = retry_after
        self.list_meta: dict[str, Any] = {}
        self.warnings: list[str] = []
        """What the client should know besides."""

    def status(self) -> dict[str, Any]:
        """Returns the Status object that clients receive."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.list_meta,
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        body["code"] = self.code
        return body


_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def quoted(text: str) -> str:
    """Returns a text in quotes, with everything that could act on a terminal or end the quotes escaped, as Go does."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def qualified(group: str, plural: str) -> str:
    """Returns `pods` or `deployments.apps`, the way messages name a resource."""
    return f"{plural}.{group}" if group else plural


def _details(group: str, kind: str, name: str) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    if kind:
        details["kind"] = kind
    return details


def not_found(group: str, plural: str, name: str) -> ApiFailure:
    """404: the named object does not exist."""
    text = f"{qualified(group, plural)} {quoted(name)} not found"
    return ApiFailure(404, "NotFound", text, details=_details(group, plural, name))


def already_exists(group: str, plural: str, name: str) -> ApiFailure:
    """409: create of a name that is taken."""
    text = f"{qualified(group, plural)} {quoted(name)} already exists"
    return ApiFailure(409, "AlreadyExists", text, details=_details(group, plural, name))


def conflict(group: str, plural: str, name: str, detail: str) -> ApiFailure:
    """409: the write was based on an old version, or a precondition does not hold."""
    text = f"Operation cannot be fulfilled on {qualified(group, plural)} {quoted(name)}: {detail}"
    return ApiFailure(409, "Conflict", text, details=_details(group, plural, name))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> ApiFailure:
    """422: the object was understood and is not valid; every field error is listed."""
    told = list(dict.fromkeys(map(str, errors)))  # the message tells each once, the causes repeat
    listed = told[0] if len(told) == 1 else "[" + ", ".join(told) + "]"
    who = f"{kind}.{group}" if group else kind
    details = _details(group, kind, name)
    details["causes"] = [{"reason": e.reason, "message": e.body, "field": e.path} for e in errors]
    return ApiFailure(422, "Invalid", f"{who} {quoted(name)} is invalid: {listed}", details=details)


def bad_request(message: str) -> ApiFailure:
    """400: the request could not be understood."""
    return ApiFailure(400, "BadRequest", message)


def unauthorized() -> ApiFailure:
    """401: no token, or an unknown one."""
    return ApiFailure(401, "Unauthorized", "Unauthorized")


def forbidden(group: str, plural: str, name: str, detail: str) -> ApiFailure:
    """403: understood, valid, and refused."""
    text = f"{qualified(group, plural)} {quoted(name)} is forbidden: {detail}"
    return ApiFailure(403, "Forbidden", text, details=_details(group, plural, name))


def method_not_allowed() -> ApiFailure:
    """405: the resource exists but not this verb."""
    text = "the server does not allow this method on the requested resource"
    return ApiFailure(405, "MethodNotAllowed", text, details={})


def no_such_path() -> ApiFailure:
    """404: no such group, version or resource."""
    return ApiFailure(404, "NotFound", "the server could not find the requested resource", details={})


def no_port_forward() -> ApiFailure:
    """404: ports of pods are not passed on; each is one of this machine."""
    text = "this server forwards no ports: pods listen on this machine, at their podIP and at the loopback ports of their Service"
    return ApiFailure(404, "NotFound", text, details={})


def unsupported_media_type(accepted: Sequence[str]) -> ApiFailure:
    """415: the body is of a form that we do not read."""
    text = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiFailure(415, "UnsupportedMediaType", text)


def too_large(limit: int) -> ApiFailure:
    """413: the request body is over the limit."""
    return ApiFailure(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit}")


def too_many_requests(message: str, retry_after: int = 1) -> ApiFailure:
    """429: overloaded; the client shall come back."""
    return ApiFailure(
        429, "TooManyRequests", message, details={"retryAfterSeconds": retry_after}, retry_after=retry_after
    )


def expired(message: str) -> ApiFailure:
    """410: the revision asked for is no longer in the log."""
    return ApiFailure(410, "Expired", message)


def insufficient_storage(message: str) -> ApiFailure:
    """507: the disk cannot take the write; nothing was stored, reads go on."""
    return ApiFailure(507, "InsufficientStorage", message)


def unavailable(message: str, retry_after: int = 1) -> ApiFailure:
    """503: cannot answer now; the client shall come back."""
    return ApiFailure(
        503, "ServiceUnavailable", message, details={"retryAfterSeconds": retry_after}, retry_after=retry_after
    )


def internal(message: str) -> ApiFailure:
    """500: our bug; the traceback is in the server's log, never in the answer."""
    text = f"Internal error occurred: {message}"
    return ApiFailure(500, "InternalError", text, details={"causes": [{"message": message}]})
