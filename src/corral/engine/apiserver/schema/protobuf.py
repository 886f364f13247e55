"""Reads Kubernetes' protobuf: several kubectl commands and most Go controllers send it for built-in kinds.

Answers stay JSON, which those clients accept too. A body is four magic bytes and an envelope with kind, version and the
object itself; the object's field numbers are in protobuf.json, generated from the published definitions. Zero values that
Go writes without need are left in: the shape check drops them, as it does for JSON.
"""

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

MAGIC = b"k8s\x00"
DEEPEST = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ProtobufError(ValueError):
    """The bytes are not a message of the kind that they claim to be."""


def decode_object(raw: bytes, message_of: Callable[[str, str], str]) -> dict[str, Any]:
    """Returns the object in a body; `message_of(apiVersion, kind)` names its message, "" for kinds without one."""
    if not raw.startswith(MAGIC):
        raise ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    type_meta: dict[int, str] = {}
    content = b""
    for number, value in _fields(raw[4:]):
        if number == 1 and isinstance(value, bytes):
            type_meta = {n: _text(v) for n, v in _fields(value) if isinstance(v, bytes)}
        elif number == 2 and isinstance(value, bytes):
            content = value
    version, kind = type_meta.get(1, ""), type_meta.get(2, "")
    message = message_of(version, kind)
    if not message:
        raise ProtobufError(f'no kind "{kind}" of version "{version}" can be read from protobuf')
    return {"kind": kind, "apiVersion": version, **decode(message, content)}


def decode(message: str, raw: bytes, depth: int = 0) -> Any:
    """Returns a message as the JSON value that stands for it."""
    if depth > DEEPEST:
        raise ProtobufError("nested too deeply")
    special = _SPECIAL.get(message)
    if special is not None:
        return special(dict(_fields(raw)))
    return _struct(message, raw, depth)


def _struct(message: str, raw: bytes, depth: int) -> dict[str, Any]:
    known = _messages()[message]
    made: dict[str, Any] = {}
    for number, value in _fields(raw):
        field = known.get(number)
        if field is None:
            continue  # a newer client's field, as unknown as an unknown JSON field
        name, kind, form = field
        if form == "map":
            key, item = _pair(value, kind, depth)
            made.setdefault(name, {})[key] = item
        elif form == "*":
            made.setdefault(name, []).append(_value(kind, value, depth))
        elif form == "<":
            made.update(_value(kind, value, depth))
        else:
            made[name] = _value(kind, value, depth)
    return {key: item for key, item in made.items() if item is not None}


def _pair(value: int | bytes, kind: str, depth: int) -> tuple[str, Any]:
    parts = dict(_fields(_bytes(value)))
    empty: int | bytes = b""
    return _text(_bytes(parts.get(1, b""))), _value(kind, parts.get(2, empty), depth)


def _value(kind: str, value: int | bytes, depth: int) -> Any:
    match kind:
        case "string":
            return _text(_bytes(value))
        case "bytes":
            return base64.b64encode(_bytes(value)).decode()
        case "bool":
            return bool(_number(value))
        case "int32" | "int64":
            return _signed(_number(value))
        case "uint32" | "uint64":
            return _number(value)
    return decode(kind, _bytes(value), depth + 1)


def _time(parts: dict[int, int | bytes], digits: int) -> str | None:
    seconds, nanos = _signed(_number(parts.get(1, 0))), _signed(_number(parts.get(2, 0)))
    if not seconds and not nanos:
        return None
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError as error:
        raise ProtobufError("a time is out of range") from error
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{moment.microsecond:06d}Z" if digits else f"{text}Z"


def _int_or_string(parts: dict[int, int | bytes]) -> int | str:
    if _number(parts.get(1, 0)) == 1:
        return _text(_bytes(parts.get(3, b"")))
    return _signed(_number(parts.get(2, 0)))


def _json(parts: dict[int, int | bytes]) -> Any:
    raw = _bytes(parts.get(1, b""))
    try:
        return msgspec.json.decode(raw) if raw else None
    except msgspec.MsgspecError as error:
        raise ProtobufError(f"JSON inside the message is malformed: {error}") from error


_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_SPECIAL: dict[str, Callable[[dict[int, int | bytes]], Any]] = {
    f"{_META}.Time": lambda parts: _time(parts, 0),
    f"{_META}.MicroTime": lambda parts: _time(parts, 6),
    f"{_META}.FieldsV1": _json,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": _json,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _int_or_string,
    "io.k8s.apimachinery.pkg.api.resource.Quantity": lambda parts: _text(_bytes(parts.get(1, b""))),
}
"""Messages whose JSON is not an object of their fields."""


@cache
def _messages() -> dict[str, dict[int, tuple[str, str, str]]]:
    raw = (Path(__file__).parent / "protobuf.json").read_bytes()
    listed = msgspec.json.decode(raw, type=dict[str, list[tuple[int, str, str, str]]])
    return {name: {n: (field, kind, form) for n, field, kind, form in fields} for name, fields in listed.items()}


def knows(message: str) -> bool:
    """Says whether a message can be read."""
    return message in _messages()


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields number and content of each field: a number for varints and fixed sizes, else the bytes."""
    position, end = 0, len(raw)
    while position < end:
        tag, position = _varint(raw, position)
        wire = tag & 7
        value: int | bytes
        if wire == 0:
            value, position = _varint(raw, position)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, position = int.from_bytes(raw[position : position + size], "little"), position + size
        elif wire == 2:
            size, position = _varint(raw, position)
            value, position = raw[position : position + size], position + size
        else:
            raise ProtobufError(f"wire type {wire} is not used by Kubernetes")
        if position > end:
            raise ProtobufError("unexpected EOF")
        yield tag >> 3, value


def _varint(raw: bytes, position: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if position >= len(raw):
            raise ProtobufError("unexpected EOF")
        byte = raw[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & (2**64 - 1), position
    raise ProtobufError("integer overflow")


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _number(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ProtobufError("a number is due where bytes are")
    return value


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ProtobufError("bytes are due where a number is")
    return value


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ProtobufError("a string is not UTF-8") from error
