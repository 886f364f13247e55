"""The text formats that a schema may ask for, and what each accepts.

Other formats (int32, double, ...) are documentation only: kube-apiserver does not enforce them on custom resources,
so neither do we; those that came with release 1.34 it enforces from the next one on. Names are compared without dashes, as there.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import date
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

_HEX = "[0-9a-f]"
_UUID = f"{_HEX}{{8}}-?{_HEX}{{4}}-?%s-?%s-?{_HEX}{{12}}"
_ANY = f"{_HEX}{{4}}"
_VARIANT = f"[89ab]{_HEX}{{3}}"
_UNITS = frozenset(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"])
_UNIT_STARTS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")


def is_valid(name: str, value: str) -> bool:
    """Tells whether a text is of the format; a format that nobody enforces accepts everything."""
    test = _TESTS.get(name.replace("-", ""))
    return test is None or test(value)


def is_enforced(name: str) -> bool:
    """Tells whether a format is looked at when objects are validated."""
    return name.replace("-", "") in _TESTS


class _Pattern:
    """A pattern that is compiled on first use: most servers never see most formats, and compiling all takes 15 ms."""

    __slots__ = ("_compiled", "_flags", "_text")

    def __init__(self, text: str, flags: int = re.ASCII) -> None:
        self._text = text
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def fullmatch(self, value: str) -> re.Match[str] | None:
        """Matches the whole value."""
        return self._ready().fullmatch(value)

    def findall(self, value: str) -> list[str]:
        """Returns the first group of every match."""
        return self._ready().findall(value)

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return self._compiled


def _matching(text: str, flags: int = 0) -> Callable[[str], bool]:
    pattern = _Pattern(text, flags | re.ASCII)
    return lambda value: pattern.fullmatch(value) is not None


_CARD = _Pattern(
    r"(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|(?:2131|1800|35\d{3})\d{11})",
    re.ASCII,
)
_TIME_OF_DAY = _Pattern(r"(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})", re.ASCII)
_LABEL = _Pattern(
    r"[a-zA-Z0-9\u0080-\U0010ffff](?:[a-zA-Z0-9\u0080-\U0010ffff-]{0,61}[a-zA-Z0-9\u0080-\U0010ffff])?", 0
)
_TOP_LEVEL = _Pattern(r"[a-zA-Z\u0080-\U0010ffff]{2,63}", 0)
_GO_DURATION = _Pattern(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_LOOSE_DURATION = _Pattern(r"\d+\s*([A-Za-zµ]+)", 0)


def _is_date(value: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        return False
    try:
        date(int(value[:4]) or 4, int(value[5:7]), int(value[8:]))  # Go knows a year 0, a leap year
    except ValueError:
        return False
    return True


def _is_date_time(value: str) -> bool:
    parts = value.lower().split("t")
    if len(value) < 4 or len(parts) < 2 or not _is_date(parts[0]):
        return False
    match = _TIME_OF_DAY.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def _is_duration(value: str) -> bool:
    if _GO_DURATION.fullmatch(value):
        return True
    units = [unit.lower() for unit in _LOOSE_DURATION.findall(value)]
    return any(unit in _UNITS or unit.startswith(_UNIT_STARTS) for unit in units)


def _is_hostname(value: str) -> bool:
    labels = value.split(".")
    if len(value.encode()) > 255 or any(len(label.encode()) > 63 for label in labels):
        return False
    if len(labels) == 1:
        return _LABEL.fullmatch(value) is not None
    return all(_LABEL.fullmatch(label) for label in labels[:-1]) and _TOP_LEVEL.fullmatch(labels[-1]) is not None


def _is_address(value: str, version: int) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return "%" not in value and (address.version == 4 or "." in value if version == 4 else ":" in value)


def _is_cidr(value: str) -> bool:
    try:
        ipaddress.ip_interface(value)
    except ValueError:
        return False
    return re.search(r"/\d{1,3}$", value, re.ASCII) is not None


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(value)


def _is_uri(value: str) -> bool:
    if value.startswith("/"):
        return True
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme) and re.search(r"[\x00-\x20\x7f]", value) is None and value.isprintable()


def _is_email(value: str) -> bool:
    _, address = parseaddr(value)
    return re.fullmatch(r"[^@\s]+@[^@\s]+", address) is not None


def _is_isbn10(value: str) -> bool:
    digits = re.sub(r"[\s-]", "", value)
    if not re.fullmatch(r"\d{9}[\dX]", digits, re.ASCII):
        return False
    numbers = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((index + 1) * number for index, number in enumerate(numbers)) % 11 == 0


def _is_isbn13(value: str) -> bool:
    digits = re.sub(r"[\s-]", "", value)
    if not re.fullmatch(r"\d{13}", digits, re.ASCII):
        return False
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits)) % 10 == 0


def _is_card(value: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", value)
    if not _CARD.fullmatch(digits):
        return False
    doubled = [int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


_BYTE = r"(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"

_TESTS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matching("[0-9a-fA-F]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": lambda value: _is_address(value, 4),
    "ipv6": lambda value: _is_address(value, 6),
    "cidr": _is_cidr,
    "mac": _matching(
        r"(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}"
        r"|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){7}|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})"
    ),
    "uuid": _matching(_UUID % (_ANY, _ANY), re.IGNORECASE),
    "uuid3": _matching(_UUID % (f"3{_HEX}{{3}}", _ANY), re.IGNORECASE),
    "uuid4": _matching(_UUID % (f"4{_HEX}{{3}}", _VARIANT), re.IGNORECASE),
    "uuid5": _matching(_UUID % (f"5{_HEX}{{3}}", _VARIANT), re.IGNORECASE),
    "isbn": lambda value: _is_isbn10(value) or _is_isbn13(value),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_card,
    "ssn": _matching(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "hexcolor": _matching("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matching(rf"rgb\(\s*{_BYTE}\s*,\s*{_BYTE}\s*,\s*{_BYTE}\s*\)"),
    "byte": _is_base64,
    "password": lambda _: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
}
