"""Single values as Go's decoder sees them: times, base64, the names of types, and its words for what does not fit."""

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from corral.engine.apiserver.schema.node import Schema

_TIME = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", re.ASCII)
_MICRO_TIME = re.compile(_TIME.pattern[:-1] + r"\.\d{6}Z", re.ASCII)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_TIME_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_PARTS = (
    ("2006", r"\d{4}"),
    ("-", "-"),
    ("01", r"\d\d"),
    ("-", "-"),
    ("02", r"\d\d"),
    ("T", "T"),
    ("15", r"\d\d"),
    (":", ":"),
    ("04", r"\d\d"),
    (":", ":"),
    ("05", r"\d\d"),
)
_RANGES = (("month", 1, 12), ("day", 1, 31), ("hour", 0, 23), ("minute", 0, 59), ("second", 0, 59))
_ZONE = re.compile(r"Z|([+-])(\d\d):(\d\d)", re.ASCII)

UNION_ERRORS = {
    "schema-or-bool": "boolean or JSON schema expected",
    "schema-or-array": "json: cannot unmarshal value into Go value of type v1.JSONSchemaProps",
    "schema-or-strings": "json: cannot unmarshal value into Go value of type v1.JSONSchemaProps",
}


class GoValueError(ValueError):
    """A text cannot be read as what it should be; the message is Go's."""


def is_time(value: Any) -> bool:
    """Tells whether a value is a time in exactly the form in which it is written back."""
    return value.__class__ is str and _TIME.fullmatch(value) is not None and _exists(value)


def is_micro_time(value: Any) -> bool:
    """Tells whether a value is a time with microseconds, in the form in which it is written back."""
    return value.__class__ is str and _MICRO_TIME.fullmatch(value) is not None and _exists(value)


def is_base64(value: Any) -> bool:
    """Tells whether a value is a text of canonical base64."""
    return value.__class__ is str and _BASE64.fullmatch(value) is not None


def _exists(value: str) -> bool:
    """Whether the calendar has the day; only the ends of months need a look."""
    if value[8:10] <= "28":
        return True
    try:
        datetime(int(value[:4]) or 4, int(value[5:7]), int(value[8:10]), tzinfo=UTC)
    except ValueError:
        return False
    return True


def time_text(value: str) -> str:
    """Returns a time as the server writes it: UTC, whole seconds."""
    moment, _ = _parsed(value, _TIME_LAYOUT)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def micro_time_text(value: str) -> str:
    """Returns a time as the server writes it where it keeps microseconds."""
    moment, micros = _parsed(value, _MICRO_LAYOUT)
    return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + f".{micros:06d}Z"


def _parsed(value: str, layout: str) -> tuple[datetime, int]:
    """Reads RFC 3339 with the errors of Go's time package."""
    rest, numbers = value, []
    for part, pattern in _PARTS:
        match = re.match(pattern, rest, re.ASCII)
        if match is None:
            raise GoValueError(_unparsed(value, layout, rest, part))
        if part.isdigit():
            numbers.append(int(match[0]))
        rest = rest[match.end() :]
    for (name, low, high), number in zip(_RANGES, numbers[1:], strict=True):
        if not low <= number <= high:
            raise GoValueError(f'parsing time "{value}": {name} out of range')
    fraction = re.match(r"\.(\d{6})" if layout == _MICRO_LAYOUT else r"[.,](\d+)", rest, re.ASCII)
    if fraction:
        rest = rest[fraction.end() :]
    elif layout == _MICRO_LAYOUT:
        raise GoValueError(_unparsed(value, layout, rest, ".000000"))
    zone = _ZONE.match(rest)
    if zone is None:
        raise GoValueError(_unparsed(value, layout, rest, "Z07:00"))
    if zone.end() != len(rest):
        raise GoValueError(f'parsing time "{value}": extra text: "{rest[zone.end() :]}"')
    micros = int(fraction[1][:6].ljust(6, "0")) if fraction else 0
    return _moment(value, numbers, zone), micros


def _moment(value: str, numbers: list[int], zone: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second = numbers
    try:
        moment = datetime(max(year, 1), month, day, hour, minute, second, tzinfo=UTC)
        if zone[1]:
            offset = timedelta(hours=int(zone[2]), minutes=int(zone[3]))
            moment = moment - offset if zone[1] == "+" else moment + offset
    except (ValueError, OverflowError) as fault:
        raise GoValueError(f'parsing time "{value}": day out of range') from fault
    return moment


def _unparsed(value: str, layout: str, rest: str, part: str) -> str:
    return f'parsing time "{value}" as "{layout}": cannot parse "{rest}" as "{part}"'


def base64_text(value: str) -> str:
    """Returns base64 without line ends; what is none gets Go's error."""
    bare = value.replace("\n", "").replace("\r", "")
    try:
        return base64.b64encode(base64.b64decode(bare, validate=True)).decode()
    except ValueError as fault:  # not only of the codec: text beyond ASCII has another one
        bad = re.search(r"[^A-Za-z0-9+/\r\n]", value)
        at = bad.start() if bad else len(value) // 4 * 4
        raise GoValueError(f"illegal base64 data at input byte {at}") from fault


REWRITERS: dict[str, Callable[[str], str]] = {
    "date-time": time_text,
    "micro-time": micro_time_text,
    "byte": base64_text,
}
"""How texts of these formats are rewritten to the form in which they rest."""


def described(value: Any, numeric: bool = False) -> str:
    """Returns what Go calls a JSON value; a number that does not fit a number is quoted."""
    if value is True or value is False:
        return "bool"
    if isinstance(value, (int, float)):
        return f"number {value}" if numeric else "number"
    return {str: "string", list: "array", dict: "object"}.get(value.__class__, "null")


def type_name(schema: Schema) -> str:
    """Returns the Go type of a node, as far as its shape tells."""
    if schema.ref:
        package, _, name = schema.ref.rpartition(".")
        return f"{package.rpartition('.')[2]}.{name}"
    if schema.items is not None:
        return f"[]{type_name(schema.items)}"
    if schema.additional is not None:
        return f"map[string]{type_name(schema.additional)}"
    if schema.format in ("int32", "int64"):
        return schema.format
    if schema.format == "byte":
        return "[]uint8"
    return {"string": "string", "boolean": "bool", "integer": "int", "number": "float64"}.get(schema.type, "object")


def zero_of(schema: Schema) -> Any:
    """Returns what a null becomes inside a list or map: the zero value of its type."""
    if schema.properties:
        return {}
    if schema.items is not None or schema.additional is not None or schema.preserve_unknown:
        return None
    if schema.format == "quantity":
        return "0"
    if schema.int_or_string:
        return 0
    if schema.format in ("date-time", "micro-time"):
        return None
    return {"string": "", "boolean": False, "integer": 0, "number": 0}.get(schema.type)
