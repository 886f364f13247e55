"""Requests that are not quite HTTP, or ask for the impossible: a clear answer, and the next request is served."""

import json
import socket
import time

import pytest

from tests.api_process import TOKEN, ApiProcess, received

HEAD = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
MAPS = "/api/v1/namespaces/default/configmaps"
OBJECT = b'{"metadata":{"name":"smuggled"}}'


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


BROKEN: dict[str, bytes] = {
    "nonsense": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no version": b"GET /api\r\n\r\n",
    "a wrong version": b"GET /api HTTP/9.9\r\n" + HEAD + b"\r\n",
    "an unknown method": b"EXPLODE /api HTTP/1.1\r\n" + HEAD + b"\r\n",
    "a bare line feed": b"GET /api HTTP/1.1\nHost: localhost\n\n\n",
    "a space in a name": b"GET /api HTTP/1.1\r\nHo st: x\r\n\r\n",
    "a NUL in a value": b"GET /api HTTP/1.1\r\nHost: a\0b\r\n\r\n",
    "a folded header": b"GET /api HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
    "a NUL in the path": b"GET /api\0x HTTP/1.1\r\n" + HEAD + b"\r\n",
    "raw bytes in the path": b"GET /\xff\xfe HTTP/1.1\r\n" + HEAD + b"\r\n",
    "two lengths": b"POST /api HTTP/1.1\r\n" + HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a negative length": b"POST /api HTTP/1.1\r\n" + HEAD + b"Content-Length: -1\r\n\r\n",
    "a length in words": b"POST /api HTTP/1.1\r\n" + HEAD + b"Content-Length: two\r\n\r\n{}",
    "an endless length": b"POST /api HTTP/1.1\r\n" + HEAD + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n",
    "a bad chunk": b"POST /api HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "an endless chunk": b"POST /api HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\n",
    "a length and chunks": b"POST "
    + MAPS.encode()
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST "
    + MAPS.encode()
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(OBJECT)
    + OBJECT,
    "chunks under another name": b"POST /api HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "an absolute target elsewhere": b"GET http://evil.example/api HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    "an upgrade": b"GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN.keys())
def test_broken_requests_are_refused(unchanged: ApiProcess, sent: bytes) -> None:
    answer = unchanged.raw(sent, timeout=1)
    assert 400 <= status_of(answer) < 500 or answer == b"", answer
    assert b"201 Created" not in answer
    if b"application/json" in answer:
        _, _, body = answer.partition(b"\r\n\r\n")
        assert json.JSONDecoder().raw_decode(body.decode())[0]["kind"] == "Status"


def test_pipelined_requests_are_answered_in_order(api: ApiProcess) -> None:
    one = b"GET /api/v1/namespaces/%s HTTP/1.1\r\n" + HEAD + b"\r\n"
    names = [b"default", b"kube-system", b"nothing", b"default"] * 20
    last = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = api.raw(b"".join(one % name for name in names) + last)
    assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200, 200, 404, 200] * 20 + [200]


def test_a_large_head_is_refused(unchanged: ApiProcess) -> None:
    for head in (b"X: " + b"y" * 70_000, b"".join(b"X-%d: yyyyyyyyyyyyyyyy\r\n" % n for n in range(4000))):
        answer = unchanged.raw(b"GET /api HTTP/1.1\r\n" + HEAD + head + b"\r\n\r\n")
        assert status_of(answer) == 431
    assert unchanged.ask("GET", f"{MAPS}?labelSelector=" + "a" * 1_000_000).status == 431


@pytest.mark.parametrize("before", [b"", b"GET " + MAPS.encode() + b"?watch=1 HTTP/1.1\r\n" + HEAD + b"\r\n"])
def test_an_endless_head_takes_no_memory(unchanged: ApiProcess, before: bytes) -> None:
    """At the start of a connection, and behind a watch that goes on."""
    resident = unchanged.resident_bytes()
    with socket.create_connection(("127.0.0.1", unchanged.port), timeout=5) as connection:
        sent = 0
        try:
            connection.sendall(before + b"GET /api HTTP/1.1\r\nX: ")
            while sent < 64 << 20:
                connection.sendall(b"y" * 65536)
                sent += 65536
        except (ConnectionError, TimeoutError):
            pass
        assert sent < 16 << 20, "the server went on reading"
    assert unchanged.resident_bytes() - resident < 16 << 20


def test_a_slow_head_is_given_up(unchanged: ApiProcess) -> None:
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", unchanged.port), timeout=10) as connection:
        connection.sendall(b"GET /api HT")
        assert status_of(received(connection)) == 408
    assert time.monotonic() - began < 8


def test_a_slow_body_is_given_up(unchanged: ApiProcess) -> None:
    with socket.create_connection(("127.0.0.1", unchanged.port), timeout=10) as connection:
        head = f"POST {MAPS} HTTP/1.1\r\n".encode() + HEAD
        connection.sendall(head + b"Connection: close\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{")
        answer = received(connection)
    assert status_of(answer) == 408
    assert b'"reason":"RequestTimeout"' in answer


def test_a_client_that_goes_away_stores_nothing(unchanged: ApiProcess) -> None:
    for body in (b"", b'{"metadata":{"name":"go'):
        with socket.create_connection(("127.0.0.1", unchanged.port)) as connection:
            head = f"POST {MAPS} HTTP/1.1\r\n".encode() + HEAD
            connection.sendall(head + b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n" + body)


QUERIES = {
    "too many parameters": "&".join(f"p{n}=1" for n in range(5_000)),
    "a limit beyond": "limit=9223372036854775808",
    "a limit in words": "limit=ten",
    "an endless limit": "limit=" + "9" * 5000,
    "an endless version": "resourceVersion=" + "9" * 5000,
    "a version in words": "resourceVersion=new",
    "a negative version": "resourceVersion=-1",
    "another script's digits": "resourceVersion=%D9%A1",
    "a forged page": "limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTF9",
    "a page of nonsense": "continue=%00%01",
    "a page that is no base64": "continue=!!!!",
    "a page of a list": "continue=W10",
    "a bad selector": "labelSelector=a%20b",
    "an open selector": "labelSelector=a%20in%20(b",
    "an unknown field": "fieldSelector=spec.nothing%3D1",
    "a bad match": "resourceVersionMatch=Sideways&resourceVersion=1",
    "initial events for a list": "sendInitialEvents=true",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_bad_queries_are_refused(unchanged: ApiProcess, query: str) -> None:
    answer = unchanged.ask("GET", f"{MAPS}?{query}")
    assert answer.status in (400, 410, 422, 431, 504), answer
    assert answer.json["reason"]
    assert len(answer.body) < 30_000


ODD_QUERIES = {
    "the largest limit": "limit=9223372036854775807",
    "a negative limit": "limit=-5",
    "bad escapes": "x=%zz&%=1&a=%f",
    "not UTF-8": "labelSelector=a%3D%ff".replace("%ff", "b"),
    "a negative timeout": "watch=1&timeoutSeconds=-5",
    "the largest timeout that ends": "watch=1&timeoutSeconds=1",
}


@pytest.mark.parametrize("query", ODD_QUERIES.values(), ids=ODD_QUERIES.keys())
def test_odd_queries_are_served(unchanged: ApiProcess, query: str) -> None:
    assert unchanged.ask("GET", f"{MAPS}?{query}").status == 200


@pytest.mark.parametrize("seconds", ["9223372036854775807", "-9223372036854775808"])
def test_watches_of_any_length_can_be_asked_for(unchanged: ApiProcess, seconds: str) -> None:
    with socket.create_connection(("127.0.0.1", unchanged.port), timeout=5) as connection:
        request = f"GET {MAPS}?watch=1&timeoutSeconds={seconds} HTTP/1.1\r\n".encode()
        connection.sendall(request + HEAD + b"\r\n")
        assert status_of(connection.recv(1000)) == 200


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PROPFIND", "POST", "PUT"])
def test_methods_that_make_no_sense_are_refused(unchanged: ApiProcess, method: str) -> None:
    assert unchanged.ask(method, "/api/v1/namespaces/default", b"").status in (400, 405)
