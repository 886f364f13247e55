"""A client that keeps its connection gets each answer at once: no 40 ms between head and body, and both in one packet."""

import socket
import time

from corral.testing.embedded_api import EmbeddedApi


def test_answers_on_a_kept_connection_do_not_wait_for_acknowledgements() -> None:
    with EmbeddedApi() as api, _connected(api) as client:
        seconds = []
        for _ in range(10):
            began = time.perf_counter()
            assert _answered(client, b"GET").endswith(b"ok")
            seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.03  # on a busy machine some are slow, but a delayed one never takes less than 40 ms


def test_a_head_without_a_body_is_not_held_back() -> None:
    with EmbeddedApi() as api, _connected(api) as client:
        assert _answered(client, b"HEAD").endswith(b"\r\n\r\n")
        assert _answered(client, b"GET").endswith(b"ok")


def _connected(api: EmbeddedApi) -> socket.socket:
    port = int(api.access.server.rsplit(":", 1)[1])
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def _answered(client: socket.socket, method: bytes) -> bytes:
    client.sendall(method + b" /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return client.recv(65536)
