"""Which ports of this machine are free, asked of the machine itself."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from corral.engine.node.addressing.ports import can_listen, choose, is_unused, usable_range


def test_the_range_lies_outside_that_of_outgoing_connections() -> None:
    ports = usable_range()
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as outgoing:
        assert not ports.first <= outgoing.getsockname()[1] <= ports.last


@pytest.fixture
def port() -> int:
    ports = usable_range()
    return choose(ports, ports.first + 4321, (), is_unused)


@contextmanager
def listening(family: socket.AddressFamily, host: str, port: int) -> Iterator[None]:
    """Listens as servers do, with an address that may be used again."""
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((host, port))
        server.listen()
        yield


@pytest.mark.parametrize(
    ("family", "host"),
    [
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "127.80.26.231"),
        (socket.AF_INET6, "::"),
        (socket.AF_INET6, "::1"),
    ],
)
def test_a_listener_on_any_address_is_seen(family: socket.AddressFamily, host: str, port: int) -> None:
    assert is_unused(port)
    assert can_listen(port)
    try:
        with listening(family, host, port):
            assert not is_unused(port)
            assert not can_listen(port)
    except OSError as error:
        pytest.skip(f"this machine has no {host}: {error}")
    assert is_unused(port)


def test_connections_that_just_ended_do_not_keep_a_server_from_coming_back(port: int) -> None:
    here = ("127.0.0.1", port)
    with socket.create_server(here) as server, socket.create_connection(here) as caller:
        accepted, _ = server.accept()
        accepted.close()
        assert caller.recv(1) == b""
    assert not is_unused(port)
    assert can_listen(port)
