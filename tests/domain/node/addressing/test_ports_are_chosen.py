"""Which loopback port a Service gets: the same again and again, outside the system's own range, and nobody else's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.node.addressing.loopback import ServicePort
from corral.engine.node.addressing.ports import NoPortError, PortRange, choose, range_beside, start_of

SMALL = PortRange(20000, 20009)
PORTS = st.sets(st.integers(20000, 20009))


def nobody_listens(port: int) -> bool:
    return True


@pytest.mark.parametrize(
    ("ephemeral", "expected"),
    [
        ((32768, 60999), (20000, 32767)),
        (None, (20000, 32767)),
        ((15000, 64000), (64001, 65535)),
        ((20500, 65000), (65001, 65535)),
        ((1024, 65535), (20000, 32767)),
    ],
)
def test_ports_lie_beside_those_of_outgoing_connections(
    ephemeral: tuple[int, int] | None, expected: tuple[int, int]
) -> None:
    assert range_beside(ephemeral) == expected


def test_the_search_begins_at_the_same_place_for_the_same_name() -> None:
    ports = range_beside((32768, 60999))
    wanted = ServicePort("ml", "tf-worker-0", 2222)
    assert start_of(wanted, ports) == start_of(wanted, ports)
    assert start_of(wanted, ports) != start_of(wanted._replace(port=2223), ports)
    assert ports.first <= start_of(wanted, ports) <= ports.last


@given(PORTS, PORTS, st.integers(20000, 20009))
def test_a_port_is_found_if_and_only_if_there_is_one(recorded: set[int], in_use: set[int], start: int) -> None:
    free = set(range(20000, 20010)) - recorded - in_use
    if free:
        assert choose(SMALL, start, recorded, lambda port: port not in in_use) in free
    else:
        with pytest.raises(NoPortError, match="every port from 20000 to 20009 is taken"):
            choose(SMALL, start, recorded, lambda port: port not in in_use)


def test_the_search_goes_around_the_end() -> None:
    assert choose(SMALL, 20008, {20008, 20009, 20000}, nobody_listens) == 20001
