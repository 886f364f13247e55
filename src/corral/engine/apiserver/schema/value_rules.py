"""The rules for single values of a custom resource: type, format, length, bounds, pattern, enumeration."""

import json
from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, shown, type_invalid
from corral.engine.apiserver.schema import formats
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.patterns import PatternError, compile_pattern


def type_finding(schema: Schema, value: Any, path: str) -> FieldError | None:
    """Returns the finding for a value of the wrong type, in which its own type stands as the bad value."""
    wanted = ("integer", "string") if schema.int_or_string else (schema.type,) if schema.type else ()
    enforced = schema.format if formats.is_enforced(schema.format) else ""
    if value is None:
        return None if not wanted or schema.nullable else _mistyped(path, ",".join(wanted), "null")
    if not wanted and not enforced:
        return None
    actual, detail = _json_type(value)
    fits = actual in wanted or ("number" in wanted and actual == "integer")
    fits = fits or ("integer" in wanted and isinstance(value, float) and _is_whole(value))
    if enforced and actual not in ("string", "array") and not fits:
        return _mistyped(path, enforced, detail)
    if enforced and actual in ("string", "array") and not {"integer", "number"} & set(wanted):
        return None  # the real server looks no further once a format is asked for
    return None if fits else _mistyped(path, ",".join(wanted), actual)


def _json_type(value: Any) -> tuple[str, str]:
    """Returns the JSON type of a value, and the format that goes with it."""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return "integer", "int64"
    if isinstance(value, (int, float)):
        return "number", "float64"
    if isinstance(value, str):
        return "string", ""
    return ("array", "") if isinstance(value, list) else ("object", "")


def _is_whole(value: float) -> bool:
    return abs(value) < 2**53 and value.is_integer()


def _mistyped(path: str, wanted: str, actual: str) -> FieldError:
    return type_invalid(path, actual, f"{path} in body must be of type {wanted}: {shown(actual)}")


def string_findings(schema: Schema, value: str, path: str) -> Iterator[FieldError]:
    """Checks length and pattern (the first violation counts), then the format."""
    rules = schema.rules
    length = len(value)
    if length > rules.get("maxLength", length):
        unit = "byte" if rules["maxLength"] == 1 else "bytes"
        yield FieldError("Too long", path, f"may not be more than {rules['maxLength']} {unit}")
    elif length < rules.get("minLength", 0):
        yield _bad(path, value, f"{path} in body should be at least {rules['minLength']} chars long")
    elif rules.get("pattern") and not _matches(rules["pattern"], value):
        yield _bad(path, value, f"{path} in body should match '{rules['pattern']}'")
    if schema.format and not formats.is_valid(schema.format, value):
        yield type_invalid(path, value, f"{path} in body must be of type {schema.format}: {shown(value)}")


def _matches(pattern: str, value: str) -> bool:
    try:
        return compile_pattern(pattern)(value)
    except PatternError:
        return False  # cannot happen: definitions with such a pattern are refused


def number_findings(rules: dict[str, Any], value: float, path: str) -> Iterator[FieldError]:
    """Checks multiples and bounds; a bound is shown as the value's own kind of number."""
    if "multipleOf" in rules:
        factor = _bound(rules["multipleOf"], value)
        if factor <= 0:
            text = f"factor MultipleOf declared for {path} must be positive: {go_number(factor)}"
            yield _bad(path, factor, text)
        elif not _is_multiple(value, factor):
            yield _bad(path, value, f"{path} in body should be a multiple of {go_number(factor)}")
    if "maximum" in rules:
        limit, exclusive = _bound(rules["maximum"], value), bool(rules.get("exclusiveMaximum"))
        if value > limit or (exclusive and value == limit):
            words = "less than" if exclusive else "less than or equal to"
            yield _bad(path, value, f"{path} in body should be {words} {go_number(limit)}")
    if "minimum" in rules:
        limit, exclusive = _bound(rules["minimum"], value), bool(rules.get("exclusiveMinimum"))
        if value < limit or (exclusive and value == limit):
            words = "greater than" if exclusive else "greater than or equal to"
            yield _bad(path, value, f"{path} in body should be {words} {go_number(limit)}")


def _bound(limit: float, value: float) -> float:
    return int(limit) if isinstance(value, int) else float(limit)


def _is_multiple(value: float, factor: float) -> bool:
    if isinstance(value, int):
        return value % int(factor) == 0
    quotient = 1 / factor * value if factor < 1 else value / factor
    return abs(quotient - round(quotient)) <= 1e-9 * max(1.0, abs(quotient))


def go_number(value: float) -> str:
    """Returns a number as Go's %v prints it: floats get an exponent from a million on."""
    if isinstance(value, int):
        return str(value)
    mantissa, _, exponent = f"{value:.17e}".partition("e")
    shortest = repr(value)
    if -4 <= int(exponent) < 21 and value.is_integer() and abs(value) < 1e21 and int(exponent) < 6:
        return str(int(value))
    if -4 <= int(exponent) < 6:
        return shortest
    digits = shortest.replace("-", "").partition("e")[0].replace(".", "").strip("0") or "0"
    sign = "-" if mantissa.startswith("-") else ""
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if int(exponent) < 0 else '+'}{abs(int(exponent)):02d}"


def _bad(path: str, value: Any, sentence: str) -> FieldError:
    printed = go_number(value) if isinstance(value, float) else shown(value)
    return FieldError("Invalid value", path, f"{printed}: {sentence}")


def unsupported(path: str, value: Any, allowed: list[Any]) -> FieldError:
    """Says that a value is none of an enumeration; what is no text is shown as JSON, in quotes like the others."""
    texts = [item if isinstance(item, str) else json.dumps(item, separators=(",", ":")) for item in allowed]
    listed = ", ".join(shown(text) for text in texts)
    printed = go_number(value) if isinstance(value, float) else shown(value)
    return FieldError("Unsupported value", path, f"{printed}: supported values: {listed}")


def too_many(path: str, actual: int, limit: int) -> FieldError:
    """Says that a list or map has too many entries."""
    unit = "item" if limit == 1 else "items"
    return FieldError("Too many", path, f"{actual}: must have at most {limit} {unit}")
