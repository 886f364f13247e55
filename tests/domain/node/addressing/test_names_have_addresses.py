"""Every name has one loopback address, and frameworks are told addresses that were allotted, or ask for them."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.node.addressing.loopback import (
    LoopbackAddressing,
    ServicePort,
    UnknownServiceError,
    WantedAddresses,
    address_of,
)
from corral.reconcile.frameworks.addressing import Endpoint

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,62}", fullmatch=True)


@given(NAMES, NAMES)
def test_addresses_are_loopback_and_never_end_in_0_or_255(namespace: str, name: str) -> None:
    address = address_of(namespace, name, "linux")
    assert ipaddress.ip_address(address) in ipaddress.ip_network("127.64.0.0/10")
    assert address.rpartition(".")[2] not in ("0", "255")


def test_an_address_is_the_same_in_every_run() -> None:
    assert address_of("ml", "tf-worker-0", "linux") == "127.80.26.231"
    assert address_of("ml", "tf-worker-1", "linux") != address_of("ml", "tf-worker-0", "linux")
    assert address_of("other", "tf-worker-0", "linux") != address_of("ml", "tf-worker-0", "linux")


def test_addresses_spread_over_the_whole_net() -> None:
    found = {address_of("ml", f"job-{number}", "linux") for number in range(5000)}
    assert len(found) > 4980
    assert len({one.split(".")[1] for one in found}) == 64


def test_other_systems_have_only_one_address() -> None:
    assert address_of("ml", "tf-worker-0", "darwin") == "127.0.0.1"


def test_near_and_far_are_the_same_place() -> None:
    addressing = LoopbackAddressing("ml", {ServicePort("ml", "tf-worker-0", 2222): 21034})
    there = Endpoint(address_of("ml", "tf-worker-0"), 21034)
    assert addressing.near("tf-worker-0", 2222) == addressing.far("tf-worker-0", "ml", 2222) == there


def test_a_port_that_was_not_allotted_is_named() -> None:
    addressing = LoopbackAddressing("ml", {ServicePort("ml", "tf-worker-0", 2222): 21034})
    with pytest.raises(UnknownServiceError, match=r"no loopback port is allotted to tf-worker-0\.ml:2223") as caught:
        addressing.near("tf-worker-0", 2223)
    assert caught.value.wanted == ("ml", "tf-worker-0", 2223)


def test_what_is_asked_for_is_noted() -> None:
    listening = WantedAddresses("ml")
    listening.near("a", 1)
    listening.far("b", "other", 2)
    assert listening.wanted == {("ml", "a", 1), ("other", "b", 2)}
    assert listening != WantedAddresses("ml")
