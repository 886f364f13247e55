"""Protobuf bodies: what Go clients send for built-in kinds. Messages are written here by hand, byte by byte."""

import base64
from typing import Any

import pytest

from corral.engine.apiserver.schema import protobuf

META = "io.k8s.apimachinery.pkg.apis.meta.v1"


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def message(**parts: Any) -> bytes:
    return b"".join(field(int(name[1:]), value) for name, value in parts.items())


def body(api_version: str, kind: str, content: bytes) -> bytes:
    return protobuf.MAGIC + field(1, field(1, api_version) + field(2, kind)) + field(2, content)


def of_core(api_version: str, kind: str) -> str:
    return f"io.k8s.api.core.v1.{kind}" if api_version == "v1" else ""


def test_a_pod_with_maps_lists_embedded_structs_and_quantities() -> None:
    limits = field(1, "cpu") + field(2, field(1, "500m"))
    container = message(_1="main", _2="busybox") + field(8, field(1, limits))
    probe = field(1, field(2, field(2, field(1, 1) + field(3, "http"))))
    volume = message(_1="data") + field(2, field(2, b""))
    pod = field(1, message(_1="p", _3="ns") + field(11, field(1, "a") + field(2, "b")))
    pod += field(2, field(1, volume) + field(2, container + field(10, probe)))

    got = protobuf.decode_object(body("v1", "Pod", pod), of_core)

    assert got == {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": "p", "namespace": "ns", "labels": {"a": "b"}},
        "spec": {
            "volumes": [{"name": "data", "emptyDir": {}}],
            "containers": [
                {
                    "name": "main",
                    "image": "busybox",
                    "resources": {"limits": {"cpu": "500m"}},
                    "livenessProbe": {"httpGet": {"port": "http"}},
                }
            ],
        },
    }


def test_secret_data_is_base64_as_in_json() -> None:
    secret = field(2, field(1, "key") + field(2, b"\x00\xff"))

    got = protobuf.decode_object(body("v1", "Secret", secret), of_core)

    assert got["data"] == {"key": base64.b64encode(b"\x00\xff").decode()}


def test_a_zero_time_is_absent_and_another_is_text() -> None:
    assert protobuf.decode(f"{META}.Time", message(_1=0, _2=0)) is None
    assert protobuf.decode(f"{META}.Time", message(_1=1767225600)) == "2026-01-01T00:00:00Z"
    assert protobuf.decode(f"{META}.Time", message(_1=-1)) == "1969-12-31T23:59:59Z"


def test_unknown_fields_are_passed_over() -> None:
    got = protobuf.decode_object(body("v1", "Namespace", field(999, "new") + field(1, message(_1="n"))), of_core)

    assert got["metadata"] == {"name": "n"}


BROKEN = {
    "no magic": b"{}",
    "cut in a length": body("v1", "Pod", b"\x0a\xff"),
    "cut in a varint": body("v1", "Pod", b"\x80"),
    "endless varint": body("v1", "Pod", b"\xff" * 20),
    "group wire type": body("v1", "Pod", b"\x0b"),
    "a number where a struct is due": body("v1", "Pod", field(1, 5)),
    "text that is not UTF-8": body("v1", "Pod", field(1, field(1, b"\xff"))),
    "a kind without message": body("v9", "Pod", b""),
    "a time beyond the calendar": body("v1", "Pod", field(1, field(8, field(1, 2**62)))),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN.keys())
def test_broken_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(protobuf.ProtobufError):
        protobuf.decode_object(raw, of_core)
