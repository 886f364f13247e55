"""What came back, turned into values or refusals: Status objects, list pages and watch lines.

Pages and events decode straight into the shape a cache holds, in one pass. The garbage collector is held off while a
page is decoded: with it, 10,000 pods take three times as long.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec

from corral.errors import BugError, CorralError
from corral.kinds.objects import MetadataOnly, Object
from corral.kinds.references import ApiResource
from corral.ports import refusals
from corral.ports.object_store import Change, Page

T = TypeVar("T")

MAX_LINE = 64 * 1024 * 1024
"""No watch event is larger: an object is limited to some MiB by every server."""


class Answer(NamedTuple):
    """An HTTP answer; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def object_in(answer: Answer) -> Object:
    """Returns the object in an answer."""
    return _decoded(answer.body, dict[str, Any])


def _decoded(body: bytes, shape: type[T]) -> T:
    try:
        return _decoder(shape).decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BugError("bad-answer", f"the API server sent something that is not the expected JSON: {error}") from error


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def _decoder(shape: type[T]) -> msgspec.json.Decoder[T]:
    """Returns the decoder of a shape, made once: there are as many as the program has shapes."""
    if shape not in _decoders:
        _decoders[shape] = msgspec.json.Decoder(shape)
    return cast("msgspec.json.Decoder[T]", _decoders[shape])


# --- refusals ---------------------------------------------------------------------------------------------------------


def refusal_of(answer: Answer, what: str) -> CorralError:
    """Returns the error that an unsuccessful answer means; `what` names the call."""
    status = _status_in(answer)
    message = str(status.get("message") or _plain_text(answer) or f"HTTP {answer.status}")
    make = _BY_REASON.get(str(status.get("reason", ""))) or _BY_CODE.get(answer.status)
    if answer.status == 500 and message.startswith(_UNTYPED):
        # Servers call it their own fault when an applied object has a field that they do not know.
        return refusals.InvalidError(message.partition("): ")[2] or message, what=what, status=status)
    if make is not None:
        by_rule = _told_by_rules(answer.status, message, what, status)
        return by_rule if by_rule is not None else make(message, what, status)
    if answer.status == 429 or answer.status >= 500:
        return refusals.OverloadedError(
            message, what=what, status=status, retry_after=_retry_after(answer, status), http_status=answer.status
        )
    return refusals.UnsupportedError(message, what=what, status=status)


def _told_by_rules(code: int, message: str, what: str, status: Mapping[str, Any]) -> CorralError | None:
    if code not in (400, 403, 422) or not status:
        return None
    from corral.adapters.kubernetes.admission import admission_refusal  # only who is refused pays for it

    return admission_refusal(message, what, status)


def refusal_in_stream(status: Mapping[str, Any], what: str) -> CorralError:
    """Returns the error that an ERROR event of a watch carries."""
    body = msgspec.json.encode(status)
    return refusal_of(Answer(int(status.get("code") or 500), {}, body), what)


def _status_in(answer: Answer) -> Mapping[str, Any]:
    try:
        status = msgspec.json.decode(answer.body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return status if isinstance(status, dict) and status.get("kind") == "Status" else {}


def _plain_text(answer: Answer) -> str:
    text = answer.body[:200].decode("utf-8", "replace").strip()
    return text.splitlines()[0] if text and not text.startswith("<") else ""


def _retry_after(answer: Answer, status: Mapping[str, Any]) -> float | None:
    header = answer.headers.get("retry-after", "")
    if header.isdigit():
        return float(header)
    seconds = (status.get("details") or {}).get("retryAfterSeconds")
    return float(seconds) if isinstance(seconds, int | float) and seconds > 0 else None


_UNTYPED = "failed to create typed patch object"
_Maker = Callable[[str, str, Mapping[str, Any]], CorralError]


def _unauthorized(message: str, what: str, status: Mapping[str, Any]) -> CorralError:
    hint = "the API server does not accept these credentials; sign in again or choose another context"
    return refusals.UnauthorizedError(message, what=what, status=status, hint=hint)


def _forbidden(message: str, what: str, status: Mapping[str, Any]) -> CorralError:
    hint = f"ask an administrator for the right to {what}"
    return refusals.ForbiddenError(message, what=what, status=status, hint=hint)


def _plainly(kind: Callable[..., CorralError]) -> _Maker:
    return lambda message, what, status: kind(message, what=what, status=status)


_BY_REASON: Mapping[str, _Maker] = {
    "NotFound": _plainly(refusals.NotFoundError),
    "AlreadyExists": _plainly(refusals.AlreadyExistsError),
    "Conflict": _plainly(refusals.ConflictError),
    "Expired": _plainly(refusals.ExpiredError),
    "Gone": _plainly(refusals.ExpiredError),
    "Invalid": _plainly(refusals.InvalidError),
    "BadRequest": _plainly(refusals.InvalidError),
    "Unauthorized": _unauthorized,
    "Forbidden": _forbidden,
}
_BY_CODE: Mapping[int, _Maker] = {
    400: _plainly(refusals.InvalidError),
    401: _unauthorized,
    403: _forbidden,
    404: _plainly(refusals.NotFoundError),
    409: _plainly(refusals.ConflictError),
    410: _plainly(refusals.ExpiredError),
    413: _plainly(refusals.InvalidError),
    422: _plainly(refusals.InvalidError),
}


# --- lists ------------------------------------------------------------------------------------------------------------


class _ListMeta(msgspec.Struct, rename={"next_page": "continue", "revision": "resourceVersion"}):
    revision: str = ""
    next_page: str = ""
    remaining: int | None = msgspec.field(default=None, name="remainingItemCount")


class _List(msgspec.Struct, Generic[T]):
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)
    items: list[T] | None = None


class DecodedPage(NamedTuple):
    """A page and how to get the next one; an empty `next_page` says that this was the last."""

    page: Page[Any]
    next_page: str


def page_in(answer: Answer, resource: ApiResource, shape: type[T]) -> DecodedPage:
    """Returns one page of a list; whole objects get the apiVersion and kind that servers leave out of items."""
    with _collector_held():
        found, unreadable = _list_in(answer.body, shape)
        items = found.items or []
        if items and isinstance(items[0], dict):
            for item in cast("list[Object]", items):
                item.setdefault("apiVersion", resource.api_version)
                item.setdefault("kind", resource.kind)
    return DecodedPage(Page(items, found.metadata.revision, unreadable), found.metadata.next_page)


def _list_in(body: bytes, shape: type[T]) -> tuple[_List[T], int]:
    try:
        return _decoder(_List[shape]).decode(body), 0  # type: ignore[valid-type]
    except msgspec.ValidationError:
        return _each_by_itself(body, shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BugError("bad-answer", f"the API server sent a list that is not JSON: {error}") from error


def _each_by_itself(body: bytes, shape: type[T]) -> tuple[_List[T], int]:
    """Decodes item by item, so that one poisonous object does not hide the others."""
    rough = _decoded(body, _List[msgspec.Raw])
    decoder = _decoder(shape)
    good: list[T] = []
    for raw in rough.items or []:
        try:
            good.append(decoder.decode(raw))
        except msgspec.ValidationError:
            continue
    return _List(rough.metadata, good), len(rough.items or []) - len(good)


class _collector_held:  # noqa: N801 - used like a function
    """Holds the garbage collector off for the length of a block, unless somebody else already does."""

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            gc.enable()


# --- watches ----------------------------------------------------------------------------------------------------------


class _Line(msgspec.Struct, Generic[T]):
    type: str
    object: T


class LineSplitter:
    """Cuts a byte stream into lines of any length; what is not yet ended waits for more."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._parts: list[bytes] = []
        self._waiting = 0
        self._limit = limit

    def feed(self, data: bytes) -> list[bytes]:
        """Returns the lines that `data` completes, without their ends and without empty ones."""
        head, end, tail = data.rpartition(b"\n")
        if not end:
            self._keep(data)
            return []
        whole = b"".join([*self._parts, head])
        self._parts.clear()
        self._waiting = 0
        if tail:
            self._keep(tail)
        return [line for line in whole.split(b"\n") if line]

    def _keep(self, data: bytes) -> None:
        self._parts.append(data)
        self._waiting += len(data)
        if self._waiting > self._limit:
            raise BugError("bad-answer", f"the API server sent a line of more than {self._limit} bytes")


class ChangeReader(Generic[T]):
    """Turns watch lines into changes of one shape; an object that does not fit is counted and left out."""

    def __init__(self, what: str, shape: type[T]) -> None:
        self.unreadable = 0
        self.refusal: CorralError | None = None
        """Set by an ERROR event, which ends the stream: to be raised after the changes before it were handed on."""
        self._what = what
        self._decode = _decoder(_Line[shape]).decode  # type: ignore[valid-type]

    def read(self, lines: Sequence[bytes]) -> list[Change[T]]:
        """Returns the changes in these lines, up to an ERROR event."""
        changes: list[Change[T]] = []
        for line in lines:
            try:
                event = self._decode(line)
            except msgspec.ValidationError:
                self._take_odd(line, changes)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise BugError("bad-answer", f"{self._what}: not a watch event: {error}") from error
            else:
                if event.type == "MODIFIED" or event.type == "ADDED" or event.type == "DELETED":
                    changes.append(Change(event.type, event.object))
                else:
                    self._take_odd(line, changes)
            if self.refusal is not None:
                break
        return changes

    def _take_odd(self, line: bytes, changes: list[Change[T]]) -> None:
        """Takes what is not an object of our shape: a bookmark, the end of the stream, or poison."""
        rough = _decoded(line, _Line[msgspec.Raw])
        if rough.type == "ERROR":
            self.refusal = refusal_in_stream(_decoded(bytes(rough.object), dict[str, Any]), self._what)
        elif rough.type == "BOOKMARK":
            marked = _decoded(bytes(rough.object), MetadataOnly).metadata
            ended = marked.annotations.get("k8s.io/initial-events-end") == "true"
            changes.append(Change("BOOKMARK", None, marked.resource_version, ended))
        else:
            self.unreadable += 1
