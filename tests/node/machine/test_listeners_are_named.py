"""Who listens on a port is found, on whichever address and of whichever family."""

import os
import socket

import pytest

from corral.engine.node.machine.listeners import Listener, listener_on


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_the_process_is_named(family: socket.AddressFamily, address: str) -> None:
    with socket.create_server((address, 0), family=family) as server:
        port = server.getsockname()[1]
        found = listener_on(port)
        assert found is not None
        assert found.pid == os.getpid()
        assert str(found) == f"process {os.getpid()} ({found.name})"
    assert listener_on(port) is None


def test_one_whom_the_system_does_not_show_is_another_program() -> None:
    assert str(Listener()) == "another program"
