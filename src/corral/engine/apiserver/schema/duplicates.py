"""Finds fields that stand twice in one JSON object: the decoder keeps the last, strict clients want to know.

Documents without duplicates must cost next to nothing. A decoder drops duplicates, so a document has one exactly if
it has more keys than the decoded object written out again; keys end in `":`, which can be counted without parsing.
Only when the counts differ, or when the text is too unusual to count, is it parsed with every pair kept.
"""

import json
from typing import Any

import msgspec

_LIMIT = 100  # kube-apiserver reports no more


def duplicate_fields(raw: bytes, decoded: Any) -> list[str]:
    """Returns `duplicate field "spec.x"` for each field that stands twice; `decoded` is what `raw` was decoded to."""
    written = msgspec.json.encode(decoded)
    if _keys(raw) == _keys(written) and (len(raw) == len(written) or not _is_odd(raw)):
        return []
    return _found(raw, frozenset())


def strict_errors(raw: bytes, duplicates: list[str], unknown: list[str]) -> list[str]:
    """Returns what a strict decoder complains about, duplicate and unknown fields, in the order of the document."""
    if duplicates and unknown:
        return _found(raw, frozenset(unknown))
    return duplicates or [f'unknown field "{path}"' for path in dict.fromkeys(unknown)][:_LIMIT]


def _found(raw: bytes, unknown: frozenset[str]) -> list[str]:
    found: list[str] = []
    _walk(json.loads(raw, object_pairs_hook=_Pairs), "", unknown, found)
    return list(dict.fromkeys(found))[:_LIMIT]


class _Pairs(list[tuple[str, Any]]):
    """An object with all of its pairs."""


def _is_odd(raw: bytes) -> bool:
    """Whether counting could mislead: a key that ends in a backslash, or white space before a colon."""
    return any(mark in raw for mark in (b'\\\\":', b" :", b"\t:", b"\n:", b"\r:"))


def _keys(raw: bytes) -> int:
    return raw.count(b'":') - raw.count(b'\\":')


def _walk(value: Any, path: str, unknown: frozenset[str], found: list[str]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            where = f"{path}.{key}" if path else key
            if where in unknown:
                found.append(f'unknown field "{where}"')
                continue
            if key in seen:
                found.append(f'duplicate field "{where}"')
            seen.add(key)
            _walk(item, where, unknown, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{path}[{index}]", unknown, found)
