"""The generated structure of built-in kinds: every marker that patching, applying and checking lean on is there."""

import pytest

from corral.engine.apiserver.schema.builtin import (
    UnknownKindError,
    builtin_schema,
    definition_schema,
    kind_definitions,
    raw_definition,
)
from corral.engine.apiserver.schema.node import Schema


def shape(path: str, group: str = "", version: str = "v1", kind: str = "Pod") -> Schema:
    node = builtin_schema(group, version, kind)
    for part in path.split("."):
        if part == "[]":
            assert node.items is not None
            node = node.items
        elif part == "*":
            assert node.additional is not None
            node = node.additional
        else:
            node = node.properties[part]
    return node


def test_every_kind_is_built_and_the_same_node_comes_again() -> None:
    for key, name in kind_definitions().items():
        api_version, _, kind = key.rpartition("/")
        group, _, version = api_version.rpartition("/")
        node = builtin_schema(group, version, kind)
        assert node is builtin_schema(group, version, kind)
        assert node.properties, name


def test_lists_with_keys_carry_them() -> None:
    containers = shape("spec.containers")
    assert (containers.list_type, containers.list_keys) == ("map", ("name",))
    assert (containers.patch_strategies, containers.patch_merge_key) == (frozenset({"merge"}), "name")
    assert shape("spec.containers.[].ports").list_keys == ("containerPort", "protocol")
    assert shape("spec.containers.[].ports.[].protocol").default == "TCP"


def test_a_reference_keeps_the_markers_of_its_place() -> None:
    strategy = shape("spec.strategy", "apps", kind="Deployment")
    assert strategy.patch_strategies == frozenset({"retainKeys"})
    assert definition_schema(strategy.ref).patch_strategies == frozenset()
    assert "rollingUpdate" in strategy.properties


def test_special_types_are_recognized() -> None:
    assert shape("spec.containers.[].resources.limits.*").format == "quantity"
    assert shape("spec.containers.[].livenessProbe.httpGet.port").int_or_string
    assert shape("metadata.creationTimestamp").format == "date-time"
    assert shape("spec.renewTime", "coordination.k8s.io", kind="Lease").format == "micro-time"
    assert shape("metadata.managedFields.[].fieldsV1").preserve_unknown
    assert shape("spec.selector", "apps", kind="Deployment").map_type == "atomic"


def test_a_schema_inside_a_definition_contains_itself() -> None:
    schema = shape("spec.versions.[].schema.openAPIV3Schema", "apiextensions.k8s.io", kind="CustomResourceDefinition")
    inner = schema.properties["properties"].additional
    assert inner is not None
    assert inner.properties["properties"].additional is inner


def test_descriptions_stay_out() -> None:
    for name in kind_definitions().values():
        definition = raw_definition(name)
        assert "description" not in definition
        for child in definition["properties"].values():
            assert not isinstance(child.get("description"), str)


def test_a_kind_that_was_not_generated_is_named() -> None:
    with pytest.raises(UnknownKindError, match="Widget"):
        builtin_schema("example.com", "v1", "Widget")
