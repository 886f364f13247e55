"""A quick test whether a value breaks any rule of its schema, compiled for each node.

Nearly every object breaks none, and finding the words for one that does takes a slower walk (`validation`). Both must
agree; a rule that is awkward here answers no, and the walk has the last word.
"""

from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.schema import formats
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.patterns import compile_pattern

_Test = Callable[[Any], bool]


def is_valid(schema: Schema, value: Any) -> bool:
    """Tells that a value breaks no rule; no means that it may."""
    return test_of(schema)(value)


def test_of(schema: Schema) -> _Test:
    """Returns the compiled test of one node."""
    if schema.valid is None:
        schema.valid = _Pending(schema)
        schema.valid = _compiled(schema)
    return schema.valid


class _Pending:
    """Stands for the test of a node that is being compiled."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __call__(self, value: Any) -> bool:
        assert self._schema.valid is not None
        return self._schema.valid(value)


def _compiled(schema: Schema) -> _Test:
    rules = schema.rules
    if "multipleOf" in rules or "not" in rules or "closed" in rules or rules.get("uniqueItems"):
        return _unsure
    own = _own_test(schema)
    tests = [own, *_junctors(rules)]
    if rules.get("enum"):
        tests.append(_one_of_constants(rules["enum"]))
    whole = own if len(tests) == 1 else _all(tests)
    if not schema.nullable or rules.get("enum"):
        return whole
    return lambda value: value is None or whole(value)


def _unsure(value: Any) -> bool:
    return False


def _all(tests: list[_Test]) -> _Test:
    def test(value: Any) -> bool:
        return all(one(value) for one in tests)

    return test


def _junctors(rules: dict[str, Any]) -> list[_Test]:
    tests: list[_Test] = [test_of(option) for option in rules.get("allOf", ())]
    for junctor in ("anyOf", "oneOf"):
        options = rules.get(junctor)
        if options and junctor == "anyOf":
            tests.append(_any(options))
        elif options:
            tests.append(_unsure)
    return tests


def _any(options: list[Schema]) -> _Test:
    def test(value: Any) -> bool:
        return any(test_of(option)(value) for option in options)

    return test


def _one_of_constants(constants: list[Any]) -> _Test:
    texts = frozenset(constant for constant in constants if isinstance(constant, str))
    return lambda value: value.__class__ is str and value in texts


def _own_test(schema: Schema) -> _Test:
    kind = "int-or-string" if schema.int_or_string else schema.type
    if kind == "string":
        return _string_test(schema)
    if kind in ("integer", "number"):
        return _number_test(schema, kind)
    if kind == "boolean":
        return lambda value: value is True or value is False
    if kind == "array":
        return _array_test(schema)
    if kind == "object":
        return _object_test(schema)
    return _any_type_test(schema, kind)


def _any_type_test(schema: Schema, kind: str) -> _Test:
    """A node without type, inside a junctor or free, or one for a number or a text."""
    text, number = _string_test(schema), _number_test(schema, "integer")
    if kind == "int-or-string":
        return lambda value: text(value) if value.__class__ is str else number(value)
    listed, fields = _array_test(schema), _object_test(schema)
    number = _number_test(schema, "number")

    def test(value: Any) -> bool:
        if value.__class__ is str:
            return text(value)
        if value.__class__ is dict:
            return fields(value)
        if value.__class__ is list:
            return listed(value)
        return value is None or value is True or value is False or number(value)

    return test


def _string_test(schema: Schema) -> _Test:
    rules = schema.rules
    low, high = rules.get("minLength", 0), rules.get("maxLength")
    contains = compile_pattern(rules["pattern"]) if rules.get("pattern") else None
    form = schema.format if formats.is_enforced(schema.format) else ""
    if not low and high is None and contains is None and not form:
        return lambda value: value.__class__ is str

    def test(value: Any) -> bool:
        if value.__class__ is not str or len(value) < low or (high is not None and len(value) > high):
            return False
        return (contains is None or contains(value)) and (not form or formats.is_valid(form, value))

    return test


def _number_test(schema: Schema, kind: str) -> _Test:
    """Bounds that are no whole numbers, and exclusive ones, are left to the walk."""
    rules = schema.rules
    if rules.get("exclusiveMinimum") or rules.get("exclusiveMaximum") or formats.is_enforced(schema.format):
        return _unsure
    low, high = rules.get("minimum", -(2**63)), rules.get("maximum", 2**63 - 1)
    if kind == "integer" and int(low) == low and int(high) == high:
        return lambda value: value.__class__ is int and low <= value <= high
    if kind == "number" and "minimum" not in rules and "maximum" not in rules:
        return lambda value: value.__class__ is float or (value.__class__ is int and low <= value <= high)
    return _unsure


def _array_test(schema: Schema) -> _Test:
    rules = schema.rules
    low, high = rules.get("minItems", 0), rules.get("maxItems")

    def test(value: Any) -> bool:
        if value.__class__ is not list or len(value) < low or (high is not None and len(value) > high):
            return False
        return schema.items is None or all(map(test_of(schema.items), value))

    return test


def _object_test(schema: Schema) -> _Test:
    rules, required = schema.rules, schema.required
    low, high = rules.get("minProperties", 0), rules.get("maxProperties")
    fields: dict[str, _Test] = {}

    def test(value: Any) -> bool:
        if value.__class__ is not dict or len(value) < low or (high is not None and len(value) > high):
            return False
        for key in required:
            if key not in value:
                return False
        for key, item in value.items():
            one = fields.get(key)
            if one is None:
                child = schema.properties.get(key)
                if child is None:
                    if schema.additional is not None and not test_of(schema.additional)(item):
                        return False
                    continue
                one = fields[key] = test_of(child)
            if not one(item):
                return False
        return True

    return test
