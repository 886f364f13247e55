"""Bodies that are no objects, or too much of one: a Status that says so, nothing stored, little memory."""

import json
from typing import Any

import pytest

from tests.api_process import Answer, ApiProcess

PATH = "/api/v1/namespaces/default/configmaps"
YAML = {"Content-Type": "application/yaml"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
NESTED = b'{"metadata":{"name":"a"},"data":%s}'
WIDGETS = "/apis/hostile.example/v1/namespaces/default/widgets"

BODIES: dict[str, bytes] = {
    "nothing": b"",
    "a space": b" ",
    "null": b"null",
    "a number": b"12",
    "a list": b"[]",
    "a text": b'"x"',
    "cut": b'{"metadata":{"name":"a"',
    "not JSON": b"{name: a}",
    "two objects": b'{"metadata":{"name":"a"}} {"metadata":{"name":"b"}}',
    "UTF-16": '{"metadata":{"name":"a"}}'.encode("utf-16"),
    "not UTF-8": b'{"metadata":{"name":"a"},"data":{"x":"\xff\xfe"}}',
    "half a character": b'{"metadata":{"name":"a"},"data":{"x":"\xe2\x82"}}',
    "a lone surrogate": b'{"metadata":{"name":"a"},"data":{"x":"\\ud800"}}',
    "a trailing surrogate": b'{"metadata":{"name":"a"},"data":{"x":"\\udc00\\ud800"}}',
    "a bare NUL": b'{"metadata":{"name":"a"},"data":{"x":"\0"}}',
    "not a number": b'{"metadata":{"name":"a","generation":NaN}}',
    "infinity": b'{"metadata":{"name":"a","generation":Infinity}}',
    "beyond floats": b'{"metadata":{"name":"a","generation":1e309}}',
    "a huge integer": b'{"metadata":{"name":"a","generation":1' + b"0" * 400 + b"}}",
    "an endless integer": b'{"metadata":{"name":"a","generation":' + b"9" * 100_000 + b"}}",
    "a list where a map is due": b'{"metadata":{"name":"a"},"data":["x"]}',
    "a text where a map is due": b'{"metadata":"a"}',
    "a map where a text is due": b'{"metadata":{"name":{"a":"b"}}}',
    "a number where a text is due": b'{"metadata":{"name":"a"},"data":{"x":1}}',
    "a thousand deep": NESTED % (b'{"x":' * 1000 + b"1" + b"}" * 1000),
    "a hundred thousand deep": NESTED % (b'{"x":' * 100_000 + b"1" + b"}" * 100_000),
    "lists a hundred thousand deep": NESTED % (b"[" * 100_000 + b"]" * 100_000),
    "never closed": b"[" * 1_000_000,
    "an unknown version": b'{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"a"}}',
    "an unknown kind": b'{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"a"}}',
    "another kind": b'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}',
    "a kind that is a list": b'{"apiVersion":"v1","kind":["ConfigMap"],"metadata":{"name":"a"}}',
}


def refused(answer: Answer, *codes: int) -> None:
    assert answer.status in (codes or (400, 413, 422)), answer
    status = answer.json
    assert (status["kind"], status["status"]) == ("Status", "Failure")
    assert status["reason"]
    assert len(status["message"]) < 5000
    assert status["code"] == answer.status


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("headers", [{}, YAML], ids=["as JSON", "as YAML"])
def test_such_bodies_create_nothing(unchanged: ApiProcess, body: bytes, headers: dict[str, str]) -> None:
    if headers and body in (BODIES["not JSON"], BODIES["not a number"], BODIES["infinity"]):
        body = b"a: [1"  # these are good YAML
    if headers and body.startswith(b'{"metadata":{"name":"a"},"data":{"x":"\\u'):
        body = b'{"metadata":{"name":"a"},"data":{"x":1}}'
    refused(unchanged.ask("POST", PATH, body, headers))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_such_bodies_replace_nothing(unchanged: ApiProcess, body: bytes) -> None:
    name = "kube-root-ca.crt" if unchanged.ask("GET", f"{PATH}/kube-root-ca.crt").status == 200 else "a"
    refused(unchanged.ask("PUT", f"{PATH}/{name}", body), 400, 404, 413, 422)


@pytest.mark.parametrize("headers", [MERGE, JSON_PATCH, STRATEGIC, APPLY], ids=lambda h: h["Content-Type"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_such_bodies_patch_nothing(unchanged: ApiProcess, body: bytes, headers: dict[str, str]) -> None:
    path = "/api/v1/namespaces/default?fieldManager=hostile"
    answer = unchanged.ask("PATCH", path, body, headers)
    if answer.status == 200:
        assert body in (b"null", b"{}") or answer.json["metadata"]["name"] == "default"
    else:
        refused(answer, 400, 404, 409, 413, 422)


LAUGHS = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(ord("a"), ord("j"))
)
DOCUMENTS: dict[str, bytes] = {
    "a billion laughs": LAUGHS,
    "an alias of itself": b"metadata: {name: a}\ndata: &a {x: *a}\n",
    "a Python object": b"!!python/object/apply:os.system ['true']",
    "a tag": b"metadata: {name: !secret a}",
    "a duplicate key": b"metadata: {name: a}\ndata: {x: a, x: b}\n",
    "two documents": b"metadata: {name: a}\n---\nmetadata: {name: b}\n",
    "a thousand deep": b"metadata: {name: a}\ndata: " + b"[" * 1000 + b"]" * 1000,
    "a hundred thousand deep": b"[" * 100_000,
    "maps a hundred thousand deep": b"{a: " * 100_000,
    "a map as a key": b"{metadata: {name: a}, {a: b}: c}",
    "an undefined alias": b"metadata: {name: *x}",
    "UTF-16": "metadata: {name: a}".encode("utf-16"),
    "more values than anybody needs": b"- a\n" * 700_000,
    "tabs": b"metadata:\n\tname: a\n",
    "a control character": b"metadata: {name: a}\ndata: {x: \x01}",
    "beyond floats": b"metadata: {name: a, generation: 1e309}",
    "not a number": b"metadata: {name: a, generation: .nan}",
    "anchors everywhere": b"metadata: {name: a}\ndata: {"
    + b", ".join(b"k%d: &a%d [*a%d]" % (n, n + 1, n) for n in range(900))
    + b"}",
}


@pytest.mark.parametrize("body", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_such_yaml_is_refused(unchanged: ApiProcess, body: bytes) -> None:
    refused(unchanged.ask("POST", PATH, body, YAML))
    refused(unchanged.ask("PATCH", f"{PATH}/a?fieldManager=x", body, APPLY))


def test_yaml_words_stay_words(api: ApiProcess) -> None:
    body = b"metadata: {name: words}\ndata:\n  a: yes\n  b: no\n  c: 012\n  d: 2024-01-01\n  e: 'x: {\"containers\": []}'\n"
    answer = api.ask("POST", PATH, body, YAML)
    assert answer.json["data"] == {"a": "yes", "b": "no", "c": "012", "d": "2024-01-01", "e": 'x: {"containers": []}'}
    assert api.ask("DELETE", f"{PATH}/words").status == 200


def test_anchors_do_not_smuggle(unchanged: ApiProcess) -> None:
    body = b"""
kind: Pod
apiVersion: v1
metadata: {name: a, annotations: &bad {hostPath: {path: /}}}
spec:
  volumes: [{name: v, <<: *bad}]
  containers: [{name: c, image: i}]
"""
    answer = unchanged.ask("POST", "/api/v1/namespaces/default/pods", body, YAML)
    refused(answer)
    assert "annotations" in answer.message


def test_a_text_that_looks_like_yaml_stays_a_text(api: ApiProcess) -> None:
    value = 'x"\n    - name: evil\n      image: evil'
    spec = {"containers": [{"name": "c", "image": "i", "env": [{"name": "A", "value": value}]}]}
    pod = {"metadata": {"name": "quoted"}, "spec": spec}
    made = api.ask("POST", "/api/v1/namespaces/default/pods", pod)
    assert made.status == 201, made
    shown = api.ask("GET", "/api/v1/namespaces/default/pods/quoted", headers={"Accept": "application/yaml"})
    assert shown.body.count(b"- name: evil") <= 1
    assert len(api.ask("GET", "/api/v1/namespaces/default/pods/quoted").json["spec"]["containers"]) == 1
    api.ask("DELETE", "/api/v1/namespaces/default/pods/quoted?gracePeriodSeconds=0")


def test_duplicate_keys_are_told(unchanged: ApiProcess) -> None:
    body = b'{"metadata":{"name":"a"},"data":{"x":"1","x":"2"}}'
    answer = unchanged.ask("POST", f"{PATH}?dryRun=All", body)
    assert 'duplicate field \\"data.x\\"' in answer.headers["warning"]
    refused(unchanged.ask("POST", f"{PATH}?fieldValidation=Strict", body))


def test_objects_have_a_size(unchanged: ApiProcess) -> None:
    obj = {"metadata": {"name": "a"}, "binaryData": {"x": "A" * 1_600_000}}
    refused(unchanged.ask("POST", PATH, obj), 413, 422)
    refused(unchanged.ask("POST", PATH, {"metadata": {"name": "a"}, "data": {"x": "y" * 2_000_000}}), 413, 422)
    refused(unchanged.ask("POST", PATH, {"metadata": {"name": "a"}, "data": {"x": "y" * 4_000_000}}), 413)
    note = {"metadata": {"name": "a", "annotations": {"x": "y" * 262_145}}}
    refused(unchanged.ask("POST", PATH, note), 422)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/xml",
        "multipart/form-data",
        "application/x-www-form-urlencoded",
        "x",
        "application/jsonx",
    ],
)
def test_bodies_of_other_types_are_refused(unchanged: ApiProcess, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    body = b'{"metadata":{"name":"a"}}'
    refused(unchanged.ask("POST", PATH, body, headers), 415)
    refused(unchanged.ask("PATCH", "/api/v1/namespaces/default", b"{}", headers), 415)


@pytest.fixture(scope="module")
def widgets(hostile_api: ApiProcess) -> str:
    """A kind that takes anything below spec."""
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    definition = {
        "kind": "CustomResourceDefinition",
        "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": "widgets.hostile.example"},
        "spec": {
            "group": "hostile.example",
            "names": {"plural": "widgets", "kind": "Widget"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert hostile_api.ask("POST", path, definition).status == 201
    return WIDGETS


def widget(name: str, spec: Any) -> dict[str, Any]:
    return {"kind": "Widget", "apiVersion": "hostile.example/v1", "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize("depth", [50, 100, 150, 200, 300, 400, 480, 700, 950])
def test_whatever_depth_is_taken_can_be_used(api: ApiProcess, widgets: str, depth: int) -> None:
    body = json.dumps(widget("deep", {})).replace("{}", '{"x":' * depth + "1" + "}" * depth).encode()
    made = api.ask("POST", widgets, body)
    if made.status != 201:
        refused(made)
        assert depth > 100, "no kind is deeper"
        return
    one = f"{widgets}/deep"
    assert api.ask("GET", one, headers={"Accept": "application/yaml"}).status == 200
    assert api.ask("GET", widgets, headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}).status == 200
    assert api.ask("PATCH", one, {"metadata": {"labels": {"a": "b"}}}, MERGE).status == 200
    assert api.ask("PATCH", one, [{"op": "add", "path": "/spec/y", "value": 1}], JSON_PATCH).status == 200
    applied = {"kind": "Widget", "apiVersion": "hostile.example/v1", "metadata": {"name": "deep"}, "spec": {"z": 1}}
    assert api.ask("PATCH", f"{one}?fieldManager=x", applied, APPLY).status == 200
    assert api.ask("DELETE", one).status == 200


@pytest.fixture
def one_widget(api: ApiProcess, widgets: str) -> str:
    if api.ask("GET", f"{widgets}/one").status == 404:
        assert api.ask("POST", widgets, widget("one", {"list": [1], "text": "x" * 1000})).status == 201
    return f"{widgets}/one"


PATCHES: dict[str, Any] = {
    "too many operations": [{"op": "test", "path": "/kind", "value": "Widget"}] * 10_001,
    "doubling a list": [{"op": "copy", "from": "/spec/list", "path": "/spec/list/-"}] * 9_000,
    "doubling an object": [{"op": "copy", "from": "/spec", "path": "/spec/x"}] * 3_000,
    "a growing text": [{"op": "copy", "from": "/spec/text", "path": f"/spec/t{n}"} for n in range(9_000)],
    "an unknown operation": [{"op": "explode", "path": "/spec"}],
    "no path": [{"op": "add", "value": 1}],
    "a path into nothing": [{"op": "add", "path": "/spec/a/b/c", "value": 1}],
    "an index beyond": [{"op": "add", "path": "/spec/list/99", "value": 1}],
    "a huge index": [{"op": "add", "path": "/spec/list/" + "9" * 40, "value": 1}],
    "a move into itself": [{"op": "move", "from": "/spec", "path": "/spec/x"}],
    "the whole removed": [{"op": "remove", "path": ""}],
    "the whole replaced": [{"op": "replace", "path": "", "value": []}],
    "metadata removed": [{"op": "remove", "path": "/metadata"}],
    "another name": [{"op": "replace", "path": "/metadata/name", "value": "other"}],
    "another kind": [{"op": "replace", "path": "/kind", "value": "Other"}],
    "another uid": [{"op": "replace", "path": "/metadata/uid", "value": "other"}],
    "no object": {"op": "add"},
    "numbers": [1, 2],
}


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES.keys())
def test_such_json_patches_change_nothing(api: ApiProcess, one_widget: str, patch: Any) -> None:
    before = api.ask("GET", one_widget).json
    refused(api.ask("PATCH", one_widget, patch, JSON_PATCH), 400, 409, 413, 422)
    assert api.ask("GET", one_widget).json == before


def test_a_delete_takes_only_delete_options(one_widget: str, unchanged: ApiProcess) -> None:
    """A real server answers options of a wrong type with 500 and these words, and so do we; nothing is deleted."""
    bodies: list[Any] = [
        b"[]",
        b"12",
        b"{",
        {"gracePeriodSeconds": "x"},
        {"gracePeriodSeconds": -(2**70)},
        {"gracePeriodSeconds": [1]},
        {"preconditions": []},
        {"preconditions": {"uid": 1}},
        {"preconditions": {"uid": "another"}},
        {"propagationPolicy": {"a": 1}},
        {"propagationPolicy": "Sideways"},
        {"orphanDependents": "yes", "propagationPolicy": "Orphan"},
        {"dryRun": "All"},
        {"dryRun": [{}]},
    ]
    for body in bodies:
        answer = unchanged.ask("DELETE", one_widget, body)
        if answer.status == 500:
            assert answer.message.startswith(("json: cannot unmarshal", "Expected `int`"))
        else:
            refused(answer, 400, 409, 422)
