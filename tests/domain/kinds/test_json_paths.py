"""The JSON paths that printer columns use in practice."""

from typing import Any

import pytest

from corral.kinds.json_path import JsonPathError, parse_path

OBJECT: dict[str, Any] = {
    "metadata": {"annotations": {"example.com/owner": "me"}, "labels": {"a": "b"}},
    "spec": {"replicas": 3, "containers": [{"name": "x", "image": "i1"}, {"name": "y", "image": "i2", "n": 5}]},
    "status": {"conditions": [{"type": "Ready", "status": "False"}, {"type": "Done", "status": "True"}]},
}
FOUND = {
    ".spec.replicas": [3],
    "spec.replicas": [3],
    "$.spec.replicas": [3],
    r".metadata.annotations.example\.com/owner": ["me"],
    ".metadata.annotations['example.com/owner']": ["me"],
    '.metadata.labels["a"]': ["b"],
    ".spec.containers[*].image": ["i1", "i2"],
    ".spec.containers[0].name": ["x"],
    ".spec.containers[-1].name": ["y"],
    ".spec.containers[0:1].name": ["x"],
    ".spec.containers[1:].name": ["y"],
    '.status.conditions[?(@.type=="Ready")].status': ["False"],
    ".status.conditions[?(@.type == 'Done')].status": ["True"],
    '.status.conditions[?(@.type!="Ready")].type': ["Done"],
    ".spec.containers[?(@.n)].name": ["y"],
    ".spec.containers[?(@.n>4)].name": ["y"],
    ".spec.containers[?(@.n<=4)].name": [],
    '.spec.containers[?(@.n<"9")].name': [],
    '.spec.containers[?(@.name<"y")].name': ["x"],
    "..image": ["i1", "i2"],
    ".metadata.labels.*": ["b"],
    ".spec.missing.deep": [],
    ".spec.replicas.deep": [],
    ".spec.containers[7]": [],
}


@pytest.mark.parametrize(("path", "values"), FOUND.items())
def test_a_path_leads_to_its_values(path: str, values: list[Any]) -> None:
    assert list(parse_path(path).find(OBJECT)) == values


@pytest.mark.parametrize("path", [".spec[", ".a[?(@.x==y)]", ".a..", ".a[x]", ".a[::0]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(JsonPathError):
        parse_path(path)
