"""How Go names and prints decoded JSON: the real server's messages show values in this form, and clients match them."""

from typing import Any


def type_word(value: Any) -> str:
    """Returns the word of Go's JSON decoder for a value of the wrong type, as in `cannot unmarshal number into ...`."""
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
    return "null"


def type_name(value: Any) -> str:
    """Returns the Go type of a decoded value, as in `expected a []interface {}, but received a string`."""
    match value:
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case dict():
            return "map[string]interface {}"
    return "nil"


def printed(value: Any) -> str:
    """Returns a value as Go's `%v` prints it: `map[name:x ports:[80 443]]`, keys sorted."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case float():
            return _printed_float(value)
        case dict():
            return "map[" + " ".join(f"{key}:{printed(value[key])}" for key in sorted(value)) + "]"
        case list():
            return "[" + " ".join(printed(item) for item in value) + "]"
    return str(value)


def _printed_float(value: float) -> str:
    # Go's %v of a float is the shortest form, with an exponent of two digits below 1e-4 and from 1e21 on.
    mantissa, _, exponent = f"{value!r}".partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")
    if int(exponent) < 21 and int(exponent) >= 0:
        return f"{value:.0f}"
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].zfill(2)}"


def is_same(left: Any, right: Any) -> bool:
    """Tells whether two decoded values are the same JSON; unlike `==`, true is not 1 and 1.0 is not 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(item, right[key]) for key, item in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return bool(left == right)
