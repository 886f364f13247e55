"""Which files a volume has that is made of ConfigMaps, Secrets, fields of the pod and tokens."""

import base64
from typing import Any

import pytest

from corral.engine.node.downward import PodFacts
from corral.engine.node.fetched import Fetched
from corral.engine.node.volumes.faults import VolumeFaultError
from corral.engine.node.volumes.payload import File, Ingredients, path_fault, payload_of
from corral.engine.node.volumes.references import TokenRequest
from corral.kinds.objects import Object

POD: Object = {
    "metadata": {"name": "p", "namespace": "team", "uid": "u", "labels": {"b": 'say "x"\n', "a": "1"}},
    "spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "2"}}}]},
}
FETCHED = Fetched(
    {
        "conf": {"data": {"a.txt": "ps-0:2222", ".hidden": "h"}, "binaryData": {"b.bin": "AP8="}},
        "empty": {},
        "big": {"data": {"blob": "x" * 2**20}},
    },
    {
        "keys": {
            "data": {
                "key": base64.b64encode(b"s3cret ps-0:2222").decode(),
                "raw": base64.b64encode(b"ps-0:2222\0").decode(),
            }
        }
    },
)


def made(kind: str, source: dict[str, Any], **more: Any) -> dict[str, File]:
    return payload_of(kind, source, Ingredients(PodFacts(POD), FETCHED, **more))


def contents(kind: str, source: dict[str, Any], **more: Any) -> dict[str, bytes]:
    return {path: file.content for path, file in made(kind, source, **more).items()}


def test_a_config_map_has_its_keys_as_files() -> None:
    assert made("configMap", {"name": "conf", "defaultMode": 0o440}) == {
        "a.txt": File(b"ps-0:2222", 0o440),
        ".hidden": File(b"h", 0o440),
        "b.bin": File(b"\x00\xff", 0o440),
    }


def test_items_choose_keys_and_give_paths_and_modes() -> None:
    items = [{"key": "a.txt", "path": "deep/er/x", "mode": 0o400}, {"key": "b.bin", "path": "y"}]
    assert made("configMap", {"name": "conf", "items": items}) == {
        "deep/er/x": File(b"ps-0:2222", 0o400),
        "y": File(b"\x00\xff", 0o644),
    }


def test_an_empty_config_map_has_no_files() -> None:
    assert made("configMap", {"name": "empty"}) == {}


def test_a_value_of_a_mebibyte_is_a_file() -> None:
    assert len(contents("configMap", {"name": "big"})["blob"]) == 2**20


def test_a_mode_of_zero_is_a_mode() -> None:
    assert made("secret", {"secretName": "keys", "defaultMode": 0})["key"].mode == 0


def test_what_is_optional_may_be_missing() -> None:
    assert made("configMap", {"name": "gone", "optional": True}) == {}
    assert made("secret", {"secretName": "gone", "optional": True}) == {}
    items = [{"key": "gone", "path": "x"}, {"key": "a.txt", "path": "y"}]
    assert list(made("configMap", {"name": "conf", "items": items, "optional": True})) == ["y"]


MISSING = {
    "a config map": ("configMap", {"name": "gone"}, 'configmap "gone" not found'),
    "a secret": ("secret", {"secretName": "gone"}, 'secret "gone" not found'),
    "a key": (
        "configMap",
        {"name": "conf", "items": [{"key": "k", "path": "p"}]},
        "configmap references non-existent config key: k",
    ),
    "a key of a secret": (
        "secret",
        {"secretName": "keys", "items": [{"key": "k", "path": "p"}]},
        "references non-existent secret key: k",
    ),
    "several at once": (
        "projected",
        {"sources": [{"configMap": {"name": "x"}}, {"secret": {"name": "y"}}]},
        'configmap "x" not found; secret "y" not found',
    ),
    "a field": (
        "downwardAPI",
        {"items": [{"path": "f", "fieldRef": {"fieldPath": "spec.nothing"}}]},
        "f: unsupported fieldPath: spec.nothing",
    ),
    "a token that nobody gives": (
        "projected",
        {"sources": [{"serviceAccountToken": {"path": "token"}}]},
        "tokens of service accounts are not given out on this node",
    ),
    "a trust bundle": (
        "projected",
        {"sources": [{"clusterTrustBundle": {"path": "ca"}}]},
        "a projected clusterTrustBundle is not supported on this node; use a ConfigMap or a Secret",
    ),
}


@pytest.mark.parametrize(("kind", "source", "want"), MISSING.values(), ids=MISSING)
def test_what_is_missing_is_told(kind: str, source: dict[str, Any], want: str) -> None:
    with pytest.raises(VolumeFaultError) as fault:
        made(kind, source)
    assert str(fault.value) == want


def test_texts_are_translated_and_bytes_and_tokens_are_not() -> None:
    def translate(text: str) -> str:
        return text.replace("ps-0:2222", "127.0.0.1:21000")

    sources = [
        {"configMap": {"name": "conf"}},
        {"secret": {"name": "keys"}},
        {"serviceAccountToken": {"path": "token", "audience": "vault", "expirationSeconds": 600}},
    ]
    asked: list[TokenRequest] = []

    def token(request: TokenRequest) -> str:
        asked.append(request)
        return "ps-0:2222"

    assert contents("projected", {"sources": sources}, translate=translate, token=token) == {
        "a.txt": b"127.0.0.1:21000",
        ".hidden": b"h",
        "b.bin": b"\x00\xff",
        "key": b"s3cret 127.0.0.1:21000",
        "raw": b"ps-0:2222\0",
        "token": b"ps-0:2222",
    }
    assert asked == [TokenRequest("vault", 600)]


def test_fields_and_resources_of_the_pod_are_files() -> None:
    items = [
        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
        {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}, "mode": 0o400},
        {"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu", "divisor": "1m"}},
    ]
    assert made("downwardAPI", {"items": items}) == {
        "labels": File(b'a="1"\nb="say \\"x\\"\\n"'),
        "name": File(b"p", 0o400),
        "cpu": File(b"2000"),
    }


@pytest.mark.parametrize("text", ["\u00e9", "a\u200bb", "tab\t", "bell\a\v\x01", "\U0001f600", "back\\slash", "\x7f"])
def test_labels_are_quoted_such_that_they_read_back(text: str) -> None:
    pod: Object = {**POD, "metadata": {**POD["metadata"], "annotations": {"k": text}}}
    source = {"items": [{"path": "f", "fieldRef": {"fieldPath": "metadata.annotations"}}]}
    written = payload_of("downwardAPI", source, Ingredients(PodFacts(pod)))["f"].content.decode()
    assert written.isprintable()
    assert written.startswith('k="')
    assert written[3:-1].encode("latin-1", "backslashreplace").decode("unicode_escape") == text


@pytest.mark.parametrize("path", ["/x", "../x", "a/../b", "..x", "..data", "", "a//b", "./a", "a/", "x" * 256, "a\0"])
def test_paths_that_lead_elsewhere_or_are_none_are_refused(path: str) -> None:
    assert path_fault(path)
    with pytest.raises(VolumeFaultError):
        made("configMap", {"name": "conf", "items": [{"key": "a.txt", "path": path}]})


@pytest.mark.parametrize("path", ["a", ".a", "a..b", "a/..b", "a.b/c", "x" * 255, "a..."])
def test_names_with_dots_are_names(path: str) -> None:
    assert path_fault(path) == ""
