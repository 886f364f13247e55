"""Kubernetes quantities: `500m`, `1.5Gi`, `12e6`; how they compare, and the one form in which each is stored.

A quantity keeps the family of its suffix (decimal, binary, exponent) and is stored with the largest suffix that needs
no fraction: `1000m` rests as `1`, `1.5Gi` as `1536Mi`. Texts that the real server takes to be in that form already,
such as `1.500`, it stores as they came; so do we, because clients compare the strings.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

PATTERN = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"

_split = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)").fullmatch
_NANO = 10**9
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {0: ""} | {exponent: suffix for suffix, exponent in _BINARY.items()}
_LARGEST_BINARY = (2**63 - 1) * _NANO
_EXPONENT_BOUND = 1000  # keeps the integers small; nothing measured is beyond it


class QuantityError(ValueError):
    """A text is no quantity; the message is the sentence that kube-apiserver answers."""


class Quantity(msgspec.Struct, frozen=True, eq=False):
    """An amount in billionths of its unit, exact, with the text under which it is stored."""

    nanos: int
    text: str
    family: str = "decimal"

    @property
    def is_whole(self) -> bool:
        """Tells whether the amount has no fraction."""
        return self.nanos % _NANO == 0


@lru_cache(maxsize=8192)
def parse_quantity(text: str) -> Quantity:
    """Reads a quantity; raises QuantityError when it is none."""
    match = _split(text)
    if not match or not text:
        raise QuantityError(f"quantities must match the regular expression '{PATTERN}'")
    sign, whole, fraction, suffix = match.group(1), match.group(2).lstrip("0"), match.group(3) or "", match.group(4)
    family, exponent = _suffix(suffix)
    digits = whole + fraction
    value = int(digits or "0") * (-1 if sign == "-" else 1)
    if family == "binary":
        nanos = _up(value * 2**exponent * _NANO, 10 ** len(fraction))
        nanos = min(nanos, _LARGEST_BINARY)
        as_is = not fraction and value & 7 != 0 and len(whole) + exponent * 3 // 10 <= 14
    else:
        scale = exponent - len(fraction)
        nanos = value * 10 ** (scale + 9) if scale >= -9 else _up(value, 10 ** (-9 - scale))
        shifted = (whole or "0") + fraction
        as_is = scale >= -9 and scale % 3 == 0 and shifted[0] != "0" and not shifted.endswith("000")
        as_is = as_is and len(shifted) <= 18
    return Quantity(nanos, text if as_is else _canonical(nanos, family), family)


@lru_cache(maxsize=8192)
def resource_quantity(text: str) -> Quantity:
    """Reads an amount of a resource, which is rounded up to thousandths."""
    quantity = parse_quantity(text)
    if quantity.nanos % 10**6 == 0:
        return quantity
    nanos = _up(quantity.nanos, 10**6) * 10**6
    return Quantity(nanos, _canonical(nanos, quantity.family), quantity.family)


def quantity_text(value: object) -> str:
    """Returns the text of a quantity as it may stand in JSON: a string, or a number."""
    return value.strip() if isinstance(value, str) else "0" if value is None else repr(value)


def _suffix(suffix: str) -> tuple[str, int]:
    if suffix in _DECIMAL:
        return "decimal", _DECIMAL[suffix]
    if suffix in _BINARY:
        return "binary", _BINARY[suffix]
    if len(suffix) > 1 and suffix[0] in "eE" and suffix[1:].lstrip("+-").isdigit():
        exponent = int(suffix[1:])
        if abs(exponent) <= _EXPONENT_BOUND:
            return "exponent", exponent
    raise QuantityError("unable to parse quantity's suffix")


def _up(value: int, divisor: int) -> int:
    """Divides and rounds away from zero: who asks for a little shall get a little."""
    amount = -(-abs(value) // divisor)
    return amount if value >= 0 else -amount


def _canonical(nanos: int, family: str) -> str:
    if nanos == 0:
        return "0"
    if family == "binary" and abs(nanos) >= 1024 * _NANO and nanos % _NANO == 0:
        value, power = nanos // _NANO, 0
        while value % 1024 == 0 and power < 60:
            value, power = value // 1024, power + 10
        return f"{value}{_BINARY_SUFFIX[power]}"
    value, power = nanos, -9
    while value % 1000 == 0 and (power < 18 or family == "exponent"):
        value, power = value // 1000, power + 3
    if family == "exponent":
        return f"{value}e{power}" if power else str(value)
    return f"{value}{_DECIMAL_SUFFIX[power]}"


def quantity_of(nanos: int, family: str = "decimal") -> str:
    """Returns an amount in billionths of its unit in the one form in which it is stored."""
    return _canonical(nanos, family)


def total_quantity(texts: Iterable[str]) -> str:
    """Returns the sum of quantities in the family of the first."""
    parts = [parse_quantity(text) for text in texts]
    return _canonical(sum(part.nanos for part in parts), parts[0].family) if parts else "0"
