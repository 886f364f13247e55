"""Checks that an object has the shape of its built-in kind, with the outcome of decoding it into Go's types.

Nearly every object that clients send is well formed, so there are two walks. `accepts` is compiled for each node and
only says yes or no, quickly: nothing unknown, no wrong type, nothing that Go would drop or rewrite. Only when it says
no does the second walk, `_Decoding`, clean the object in place and find the words for what is wrong.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from corral.engine.apiserver.schema import go_values
from corral.engine.apiserver.schema.node import Schema
from corral.kinds.quantities import QuantityError, parse_quantity, quantity_text

_DECODED_AS = {"date-time": "string", "micro-time": "string", "int-or-string": "int32", "quantity": ""}
"""The Go type through which values of special formats are read."""


class Checked(NamedTuple):
    """An object after the check: `unknown` are the paths of removed fields, `error` is empty when all types fit."""

    value: dict[str, Any]
    unknown: list[str]
    error: str


def check(schema: Schema, obj: dict[str, Any]) -> Checked:
    """Checks an object against a built-in shape and cleans it in place, as Go's decoder would understand it."""
    if acceptor(schema)(obj):
        return Checked(obj, [], "")
    decoding = _Decoding()
    decoding.fields(schema, obj, "", _Place(schema, (), ""))
    return Checked(obj, decoding.unknown, decoding.error)


def acceptor(schema: Schema) -> Callable[[Any], bool]:
    """Returns the compiled test of one node: true for a value that needs no second look."""
    if schema.accepts is None:
        schema.accepts = _compiled(schema)
    return schema.accepts


def _compiled(schema: Schema) -> Callable[[Any], bool]:
    if schema.format in _SPECIAL:
        return _SPECIAL[schema.format]
    if schema.format.startswith("schema-or-"):
        properties = schema.items
        assert properties is not None
        return lambda value: value.__class__ is dict and acceptor(properties)(value)
    if schema.properties:
        return _struct_acceptor(schema)
    if schema.additional is not None:
        return _map_acceptor(schema.additional)
    if schema.items is not None:
        return _list_acceptor(schema.items)
    return _SCALARS.get(schema.type, _is_anything)


def _struct_acceptor(schema: Schema) -> Callable[[Any], bool]:
    fields: dict[str, Any] = {}

    def accepts(value: Any) -> bool:
        if value.__class__ is not dict:
            return False
        if not fields:  # on first use: most definitions that a kind reaches are never seen
            fields.update(_field_tests(schema))
        for key, item in value.items():
            test = fields.get(key)
            if test is str:
                if item.__class__ is not str or not item:
                    return False
            elif test is None or not test(item):
                return False
        return True

    return accepts


def _field_tests(schema: Schema) -> dict[str, Any]:
    """Returns the test of each field; `str` itself stands for the commonest one, a text that is lost when empty."""
    tests: dict[str, Any] = {}
    for key, child in schema.properties.items():
        test = acceptor(child)
        if key in schema.go.pointers or key in schema.go.kept or child.properties or child.preserve_unknown:
            tests[key] = test
        elif test is _is_string:
            tests[key] = str
        else:
            tests[key] = _not_empty(test)
    return tests


def _not_empty(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: bool(value) and test(value)


def _map_acceptor(values: Schema) -> Callable[[Any], bool]:
    test = acceptor(values)

    def accepts(value: Any) -> bool:
        return value.__class__ is dict and all(map(test, value.values()))

    return accepts


def _list_acceptor(items: Schema) -> Callable[[Any], bool]:
    test = acceptor(items)

    def accepts(value: Any) -> bool:
        return value.__class__ is list and all(map(test, value))

    return accepts


def _is_string(value: Any) -> bool:
    return value.__class__ is str


def _is_boolean(value: Any) -> bool:
    return value is True or value is False


def _is_int64(value: Any) -> bool:
    return value.__class__ is int and -(2**63) <= value < 2**63


def _is_int32(value: Any) -> bool:
    return value.__class__ is int and -(2**31) <= value < 2**31


def _is_number(value: Any) -> bool:
    return value.__class__ is float or value.__class__ is int


def _is_anything(value: Any) -> bool:
    return value is not None


def _is_quantity(value: Any) -> bool:
    if value.__class__ is not str:
        return False
    try:
        return parse_quantity(value).text == value
    except QuantityError:
        return False


def _is_int_or_string(value: Any) -> bool:
    return value.__class__ is str or _is_int32(value)


_SCALARS: dict[str, Callable[[Any], bool]] = {
    "string": _is_string,
    "boolean": _is_boolean,
    "integer": _is_int64,
    "number": _is_number,
}
_SPECIAL: dict[str, Callable[[Any], bool]] = {
    "int32": _is_int32,
    "quantity": _is_quantity,
    "int-or-string": _is_int_or_string,
    "date-time": go_values.is_time,
    "micro-time": go_values.is_micro_time,
    "byte": go_values.is_base64,
}


class _Place(NamedTuple):
    """Where the second walk is, as Go's errors tell it: the struct, the names of fields down to here, the Go type."""

    struct: Schema
    stack: tuple[str, ...]
    go_type: str


class _Decoding:
    """The second walk: removes unknown fields and nulls, normalizes texts, keeps the first error."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.error = ""

    def value(self, schema: Schema, value: Any, path: str, place: _Place) -> Any:
        """Returns the value as Go would write it back; a null stays null and means absent."""
        if value is None or acceptor(schema)(value):
            return value
        if schema.format in _DECODED_AS or schema.format == "byte":
            return self._text(schema, value, place)
        if schema.format.startswith("schema-or-"):
            return self._union(schema, value, path, place)
        if schema.properties or schema.additional is not None:
            if value.__class__ is not dict:
                return self._mismatch(schema, value, place)
            walk = self.fields if schema.properties else self._entries
            walk(schema, value, path, place)
            return value
        if schema.items is not None:
            return self._elements(schema, value, path, place)
        return self._mismatch(schema, value, place)

    def fields(self, schema: Schema, value: dict[str, Any], path: str, place: _Place) -> None:
        """Cleans a struct in place, in the order of the document, as Go reads it."""
        for key in list(value):
            child = schema.properties.get(key)
            where = f"{path}.{key}" if path else key
            if child is None:
                self.unknown.append(where)
                del value[key]
                continue
            inner = _Place(schema, (*place.stack, key), schema.go.named.get(key, ""))
            item = self.value(child, value[key], where, inner)
            if item is None or (not item and _is_dropped_when_empty(schema, key, child)):
                del value[key]
            else:
                value[key] = item

    def _entries(self, schema: Schema, value: dict[str, Any], path: str, place: _Place) -> None:
        assert schema.additional is not None
        inner = place._replace(go_type="")
        for key, item in value.items():
            decoded = self.value(schema.additional, item, f"{path}.{key}", inner)
            value[key] = go_values.zero_of(schema.additional) if decoded is None else decoded

    def _elements(self, schema: Schema, value: Any, path: str, place: _Place) -> Any:
        if value.__class__ is not list:
            return self._mismatch(schema, value, place)
        assert schema.items is not None
        inner = place._replace(go_type=place.go_type[2:] if place.go_type.startswith("[]") else "")
        for index, item in enumerate(value):
            decoded = self.value(schema.items, item, f"{path}[{index}]", inner)
            value[index] = go_values.zero_of(schema.items) if decoded is None else decoded
        return value

    def _union(self, schema: Schema, value: Any, path: str, place: _Place) -> Any:
        """A JSON schema may stand where a truth value or a list may stand as well."""
        assert schema.items is not None
        if value.__class__ is dict:
            return self.value(schema.items, value, path, place)
        if schema.format == "schema-or-bool" and _is_boolean(value):
            return value
        if schema.format == "schema-or-array" and value.__class__ is list:
            return [self.value(schema.items, item, f"{path}[{i}]", place) for i, item in enumerate(value)]
        if schema.format == "schema-or-strings" and value.__class__ is list and all(map(_is_string, value)):
            return value
        self._fail(go_values.UNION_ERRORS[schema.format])
        return None

    def _text(self, schema: Schema, value: Any, place: _Place) -> Any:
        """Rewrites a text of a special format; a value of another type gets the type that Go tried."""
        if schema.format == "quantity":
            value = quantity_text(value)
        elif value.__class__ is not str:
            go_type = _DECODED_AS.get(schema.format) or place.go_type
            return self._mismatch(schema, value, place._replace(go_type=go_type))
        try:
            if schema.format == "quantity":
                return parse_quantity(value.strip()).text
            return go_values.REWRITERS[schema.format](value)
        except (QuantityError, go_values.GoValueError) as fault:
            self._fail(str(fault))
            return None

    def _mismatch(self, schema: Schema, value: Any, place: _Place) -> None:
        go_type = place.go_type or go_values.type_name(schema)
        numeric = schema.type in ("integer", "number") or schema.int_or_string
        literal = go_values.described(value, numeric=numeric)
        struct = place.struct.ref.rpartition(".")[2]
        where = f"Go struct field {struct}.{'.'.join(place.stack)}" if place.stack else "Go value"
        self._fail(f"json: cannot unmarshal {literal} into {where} of type {go_type}")

    def _fail(self, text: str) -> None:
        if not self.error:
            self.error = text


def _is_dropped_when_empty(schema: Schema, key: str, child: Schema) -> bool:
    """Whether Go leaves an empty value out: never structs, pointers, free JSON and fields that are always written."""
    if key in schema.go.pointers or key in schema.go.kept:
        return False
    return not child.properties and not child.preserve_unknown
