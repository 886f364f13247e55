"""A Table row carries nothing, the metadata, or the whole object; a watch repeats no headers."""

from typing import Any

from corral.engine.apiserver.resources.tables import DEFAULT_PRINTER, printer_for, table

ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {"name": "r", "creationTimestamp": "2024-01-01T00:00:00Z"},
    "rules": [],
}


def made(include: str, *, headers: bool = True) -> dict[str, Any]:
    """Returns the Table of one role."""
    printer = printer_for("rbac.authorization.k8s.io", "Role")
    return table(printer, [ROLE], {"resourceVersion": "7"}, include, 0.0, headers=headers)


def test_a_table_has_the_version_of_its_list() -> None:
    got = made("None")
    assert (got["kind"], got["apiVersion"], got["metadata"]) == ("Table", "meta.k8s.io/v1", {"resourceVersion": "7"})


def test_rows_carry_metadata_unless_told_otherwise() -> None:
    want = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": ROLE["metadata"]}
    assert made("")["rows"][0]["object"] == made("Metadata")["rows"][0]["object"] == want


def test_rows_carry_nothing_or_everything_when_asked() -> None:
    assert made("None")["rows"][0]["object"] is None
    assert made("Object")["rows"][0]["object"] is ROLE


def test_a_later_event_of_a_watch_has_no_headers() -> None:
    assert made("None", headers=False)["columnDefinitions"] is None


def test_a_kind_without_a_printer_shows_name_and_birth() -> None:
    assert printer_for("apiextensions.k8s.io", "CustomResourceDefinition") is DEFAULT_PRINTER
    assert made("None")["rows"][0]["cells"] == ["r", "2024-01-01T00:00:00Z"]
