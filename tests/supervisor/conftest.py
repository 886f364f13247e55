"""A home of its own per test, and a plan whose child is the stand-in server; everything is ended afterwards."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.plan import LISTEN_FD, ChildSpec, Plan

SERVER = str(Path(__file__).with_name("stand_in_server.py"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(str(tmp_path / "home"))
    yield home
    lifecycle.stop(home)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return (ChildSpec("api", (sys.executable, "-S", SERVER, str(tmp_path), LISTEN_FD)),)
