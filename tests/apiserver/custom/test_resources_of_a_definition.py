"""One resource for each served version, with the semantics that the definition asks for."""

from typing import Any

from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.resources.resource import Resource

V1 = {"a": {"type": "string", "default": "A1"}, "only1": {"type": "string"}}
V2 = {"a": {"type": "string"}, "b": {"type": "integer", "default": 7}, "only2": {"type": "string"}}
SCALE = {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r", "labelSelectorPath": ".status.s"}
COLUMNS = [
    {"name": "A", "type": "string", "jsonPath": ".spec.a"},
    {"name": "R", "type": "integer", "jsonPath": ".spec.r", "priority": 1, "description": "how many"},
    {"name": "All", "type": "string", "jsonPath": ".spec.list"},
    {"name": "Ok", "type": "boolean", "jsonPath": ".spec.ok"},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    {"name": "Wrong", "type": "date", "jsonPath": ".spec.a"},
]


def version(name: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return {"name": name, "served": True, "storage": False, "schema": {"openAPIV3Schema": schema}, **more}


def definition(*versions: dict[str, Any]) -> dict[str, Any]:
    names = {"plural": "bars", "kind": "Bar", "singular": "bar", "shortNames": ["br"], "categories": ["all"]}
    return {"spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": list(versions)}}


def two_versions() -> tuple[Resource, Resource]:
    first, second = resources_of(definition(version("v1", V1, storage=True), version("v2", V2)))
    return first, second


def obj(api_version: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"example.com/{api_version}", "kind": "Bar", "metadata": {"name": "x"}, "spec": spec}


def test_names_scope_and_served_versions_come_from_the_definition() -> None:
    resources = resources_of(definition(version("v1", V1, storage=True), version("v0", V1, served=False)))
    assert [(r.api_version, r.kind, r.plural, r.namespaced) for r in resources] == [
        ("example.com/v1", "Bar", "bars", False)
    ]
    assert (resources[0].short_names, resources[0].categories, resources[0].singular) == (("br",), ("all",), "bar")
    assert resources[0].structural


def test_reading_another_version_prunes_it_and_defaults_come_from_the_stored_one() -> None:
    """As observed on a real server: `b` has a default in v2, and a read does not show it."""
    first, second = two_versions()
    assert first.from_storage
    assert second.to_storage
    assert second.from_storage
    stored = second.to_storage(obj("v2", only2="q", b=3))
    assert stored == obj("v1")
    assert second.from_storage(stored) == obj("v2", a="A1")
    assert first.from_storage(obj("v1", only1="q")) == obj("v1", only1="q", a="A1")


def test_an_object_that_rests_in_an_older_version_gets_the_defaults_of_that() -> None:
    """As observed on a real server, where a definition had another stored version before."""
    first, second = two_versions()
    assert first.from_storage
    assert second.from_storage
    resting = obj("v2", only2="q")
    assert second.from_storage(resting)["spec"].keys() >= {"only2", "b"}
    read = first.from_storage(resting)
    assert read["apiVersion"] == "example.com/v1"
    assert "only2" not in read["spec"]
    assert resting == obj("v2", only2="q")


def test_an_object_as_its_schema_would_make_it_is_not_copied() -> None:
    first, _ = two_versions()
    settled = obj("v1", a="x", only1="q")
    assert first.from_storage
    assert first.to_storage
    assert first.from_storage(settled) is settled
    assert first.to_storage(settled) is settled


def test_conversion_leaves_the_original_alone() -> None:
    _, second = two_versions()
    original = obj("v1", only1="q")
    assert second.from_storage
    second.from_storage(original)
    assert original == obj("v1", only1="q")


def test_a_status_subresource_owns_the_status() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True, subresources={"status": {}})))
    new = {**obj("v1"), "status": {"x": 1}}
    resource.strategy.prepare_create(new)
    assert "status" not in new
    new = {**obj("v1"), "status": {"x": 1}}
    resource.strategy.prepare_update(new, {**obj("v1"), "status": {"x": 0}})
    assert new["status"] == {"x": 0}
    assert resource.subresources == ("status",)


def test_without_one_the_status_is_content_and_raises_the_generation() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True)))
    new, old = {**obj("v1"), "status": {"x": 1}}, {**obj("v1"), "status": {"x": 0}}
    old["metadata"] = new["metadata"] = {"name": "x", "generation": 4}
    new["metadata"] = dict(new["metadata"])
    resource.strategy.prepare_update(new, old)
    assert (new["status"], new["metadata"]["generation"]) == ({"x": 1}, 5)


def test_a_status_is_judged_alone_and_below_its_own_path() -> None:
    one = version("v1", V1, storage=True, subresources={"status": {}})
    phase = {"type": "string", "enum": ["A"]}
    one["schema"]["openAPIV3Schema"]["properties"]["status"] = {"type": "object", "properties": {"phase": phase}}
    (resource,) = resources_of(definition(one))
    new = {**obj("v1", a=5), "status": {"phase": 5}}
    findings = resource.strategy.validate_status(new, obj("v1", a=5))
    assert [str(finding) for finding in findings] == [
        'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
        'status.phase: Unsupported value: 5: supported values: "A"',
    ]


def test_scale_numbers_must_be_numbers() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True, subresources={"scale": SCALE})))
    bad = {**obj("v1", r=-1), "status": {"r": "x", "s": 5}}
    assert [str(finding) for finding in resource.strategy.validate(bad)] == [
        ".spec.r: Invalid value: -1: should be a non-negative integer",
        ".status.r: Invalid value: 0: .status.r accessor error: x is of the type string, expected int64",
        '.status.s: Invalid value: "": .status.s accessor error: 5 is of the type int64, expected string',
    ]
    assert resource.scale is not None
    assert resource.scale.selector == ".status.s"


def test_columns_show_what_their_paths_lead_to() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True, additionalPrinterColumns=COLUMNS)))
    assert resource.printer
    one = obj("v1", a="q", r=3, list=[{"k": 1}], ok="yes")
    one["metadata"]["creationTimestamp"] = "1970-01-01T00:00:00Z"
    assert resource.printer.cells(one, 90.0) == ["x", "q", 3, '[{"k":1}]', None, "90s", "<invalid>"]
    assert resource.printer.cells({"metadata": {"name": "y"}}, 0.0) == ["y", None, None, None, None, None, None]
    assert [(c.name, c.priority) for c in resource.printer.columns][2] == ("R", 1)


def test_without_columns_the_age_is_shown() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True)))
    assert resource.printer
    assert [column.name for column in resource.printer.columns] == ["Name", "Age"]


def test_selectable_fields_are_texts() -> None:
    fields = [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.ok"}, {"jsonPath": ".spec.r"}]
    (resource,) = resources_of(definition(version("v1", V1, storage=True, selectableFields=fields)))
    assert resource.selectable_fields == ("spec.a", "spec.ok", "spec.r")
    assert resource.strategy.selectable(obj("v1", ok=True, r=3)) == {"spec.a": "", "spec.ok": "true", "spec.r": "3"}


def test_a_deprecated_version_says_so() -> None:
    (resource,) = resources_of(definition(version("v1", V1, storage=True, deprecated=True)))
    assert resource.deprecation == "example.com/v1 Bar is deprecated"
