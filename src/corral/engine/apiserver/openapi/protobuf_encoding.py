"""Encodes JSON values as protobuf: an encoder turns the value of a thing into the content of a field.

A table of names, numbers and encoders is a message. Which messages there are is said elsewhere.
"""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

Content = bytes | int | float
Encoder = Callable[[Any], Content]
Fields = Mapping[str, tuple[int, Encoder]]


def _varint(number: int) -> bytes:
    number &= 2**64 - 1  # the protobuf way to write what is below zero
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def field(number: int, content: Content) -> bytes:
    """Returns one field as it travels: its number, its wire type, and its content."""
    if isinstance(content, float):
        return _varint(number << 3 | 1) + struct.pack("<d", content)
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content)
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def anything(value: Any) -> bytes:
    """Returns a value of no message of its own: it travels as YAML, and JSON is YAML."""
    return field(2, msgspec.json.encode(value))


def message(fields: Fields, extensions: int = 0, repeated: Iterable[str] = ()) -> Callable[[Any], bytes]:
    """Returns an encoder of objects; keys with x- in front go to the field of extensions, other unknown ones nowhere."""
    many = frozenset(repeated)

    def encode(value: Mapping[str, Any]) -> bytes:
        parts: list[bytes] = []
        for key, content in value.items():
            if content is None:
                continue  # a definition may say null where it says nothing
            if key in fields:
                number, encoder = fields[key]
                parts.extend(field(number, encoder(item)) for item in (content if key in many else (content,)))
            elif extensions and key.startswith("x-"):
                parts.append(field(extensions, _entry(key, anything(content))))
        return b"".join(parts)

    return encode


def _entry(name: str, content: bytes) -> bytes:
    return field(1, name.encode()) + field(2, content)


def named(encoder: Callable[[Any], bytes], number: int = 1) -> Callable[[Any], bytes]:
    """Returns an encoder of objects whose keys are names that somebody chose."""
    return lambda value: b"".join(field(number, _entry(name, encoder(item))) for name, item in value.items())


def inside(number: int, encoder: Encoder) -> Callable[[Any], bytes]:
    """Returns an encoder of what stands alone in a message around it, as every alternative does."""
    return lambda value: field(number, encoder(value))


def numbered(names: str, encoder: Encoder, first: int = 1) -> dict[str, tuple[int, Encoder]]:
    """Returns fields of one encoder whose numbers follow each other."""
    return {name: (number, encoder) for number, name in enumerate(names.split(), first)}
