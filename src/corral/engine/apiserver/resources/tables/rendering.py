"""Builds the meta.k8s.io/v1 Table that kubectl asks for instead of a list or an object."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from corral.engine.apiserver.resources.resource import Column, Object, Printer

INCLUDE_OBJECT = ("None", "Metadata", "Object")
"""The values of the includeObject parameter; Metadata is the default."""


def table(
    printer: Printer,
    objects: Iterable[Object],
    list_meta: Mapping[str, Any],
    include_object: str,
    now: float,
    *,
    headers: bool = True,
) -> dict[str, Any]:
    """Returns the Table of some objects in the version that was asked for.

    `list_meta` is the metadata of the list (or the resourceVersion of the one object). `include_object` is None,
    Metadata or Object; "" means Metadata. A watch sends headers with its first event only.
    """
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": dict(list_meta),
        "columnDefinitions": [_definition(column) for column in printer.columns] if headers else None,
        "rows": list(rows(printer, objects, include_object, now)),
    }


def rows(printer: Printer, objects: Iterable[Object], include_object: str, now: float) -> Iterator[dict[str, Any]]:
    """Yields the row of each object."""
    cells, conditions = printer.cells, printer.conditions
    for obj in objects:
        row: dict[str, Any] = {"cells": cells(obj, now)}
        found = conditions(obj) if conditions is not None else None
        if found:
            row["conditions"] = found
        row["object"] = _included(obj, include_object)
        yield row


def _included(obj: Object, include_object: str) -> Object | None:
    if include_object == "Object":
        return obj
    if include_object == "None":
        return None
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}


def _definition(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }
