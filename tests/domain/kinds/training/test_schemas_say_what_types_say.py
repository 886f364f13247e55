"""From types to structural schemas, one feature at a time."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest
from msgspec import Meta

from corral.kinds.training.definitions import definitions
from corral.kinds.training.definitions.schemas import schema_of
from corral.kinds.training.schema_marks import QUANTITIES, keyed

OPEN = {"x-kubernetes-preserve-unknown-fields": True}


class Item(msgspec.Struct, rename="camel", kw_only=True):
    """An item.

    What follows the first paragraph is for programmers.
    """

    keeps_unknown: ClassVar[bool] = True
    item_name: str
    size: Annotated[int, Meta(ge=1, le=9, description="How large.")] | None = None


ITEM = {
    "type": "object",
    "description": "An item.",
    "properties": {
        "itemName": {"type": "string"},
        "size": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9, "description": "How large."},
    },
    "required": ["itemName"],
    **OPEN,
}
TYPES: dict[str, tuple[Any, dict[str, Any]]] = {
    "a text": (str, {"type": "string"}),
    "a bounded text": (
        Annotated[str, Meta(min_length=1, pattern="^a")],
        {"type": "string", "minLength": 1, "pattern": "^a"},
    ),
    "a number": (float, {"type": "number"}),
    "a switch": (bool, {"type": "boolean"}),
    "a choice": (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    "anything": (Any, OPEN),
    "an object of any fields": (dict[str, Any], {"type": "object", **OPEN}),
    "a map": (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
    "a number or a text": (
        int | str,
        {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
    ),
    "amounts": (Annotated[dict[str, Any], Meta(extra_json_schema=QUANTITIES)], {"type": "object", **QUANTITIES}),
    "a struct": (Item, ITEM),
    "a keyed list": (
        Annotated[list[Item], Meta(extra_json_schema=keyed("itemName"))],
        {"type": "array", "items": ITEM, **keyed("itemName")},
    ),
}


@pytest.mark.parametrize("case", TYPES)
def test_a_type_becomes_its_schema(case: str) -> None:
    type_, want = TYPES[case]
    assert schema_of(type_) == want


@pytest.mark.parametrize("type_", [bytes, int | float | str | bool])
def test_a_type_without_a_structural_schema_is_a_mistake(type_: Any) -> None:
    with pytest.raises(TypeError, match="no structural schema"):
        schema_of(type_)


def _described(schema: dict[str, Any], path: str) -> list[str]:
    """Returns the paths of fields that say nothing of themselves."""
    found = []
    for name, child in schema.get("properties", {}).items():
        where = f"{path}.{name}"
        if not child.get("description"):
            found.append(where)
        for inner in (child, child.get("items") or {}, child.get("additionalProperties") or {}):
            found += _described(inner, where)
    return found


@pytest.mark.parametrize("definition", definitions(), ids=lambda one: str(one["spec"]["names"]["plural"]))
def test_every_field_that_users_write_is_described(definition: dict[str, Any]) -> None:
    for version in definition["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        assert _described(properties["spec"], "spec") == []
        assert _described(properties["status"], "status") == []


def test_the_same_kinds_make_the_same_definitions() -> None:
    assert definitions() == definitions()
