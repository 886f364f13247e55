"""Which endpoint is asked for a log, what it is asked, and how its refusals are told. Texts are those of a real server."""

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.nodes.location import Endpoint, endpoint_of
from corral.engine.apiserver.nodes.log_options import log_options
from corral.engine.apiserver.nodes.refusals import refusal


def _node(*addresses: tuple[str, str], port: int = 0) -> dict[str, object]:
    listed = [{"type": kind, "address": address} for kind, address in addresses]
    return {
        "metadata": {"name": "a"},
        "status": {"addresses": listed, "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}},
    }


def test_the_host_name_comes_before_addresses() -> None:
    node = _node(("InternalIP", "127.0.0.1"), ("Hostname", "localhost"), port=4194)
    assert endpoint_of(node) == Endpoint("localhost", 4194)


def test_a_node_that_names_no_port_has_the_usual_one() -> None:
    assert str(endpoint_of(_node(("InternalIP", "::1")))) == "[::1]:10250"


def test_addresses_of_unknown_kinds_do_not_count() -> None:
    with pytest.raises(ApiFailure) as caught:
        endpoint_of(_node(("Telephone", "555")))
    assert caught.value.message == "no preferred addresses found; known addresses: [{Telephone 555}]"


def test_only_what_was_asked_for_is_passed_on() -> None:
    query = {
        "container": "main",
        "follow": "true",
        "previous": "0",
        "timestamps": "1",
        "limitBytes": "55",
        "tailLines": "3",
        "sinceTime": "2020-01-01T00:00:00+02:00",
        "unknown": "1",
    }
    wanted = "follow=true&limitBytes=55&sinceTime=2019-12-31T22%3A00%3A00Z&tailLines=3&timestamps=true"
    assert log_options(query, "a").for_node() == wanted
    assert log_options({}, "a").for_node() == ""


@pytest.mark.parametrize(
    ("status", "want_reason", "want_message"),
    [
        (302, "", "the server responded with the status code 302 but did not return more information ( pods/log a)"),
        (400, "BadRequest", "said"),
        (401, "Unauthorized", "the server has asked for the client to provide credentials ( pods/log a)"),
        (403, "Forbidden", "said ( pods/log a)"),
        (404, "NotFound", "the server could not find the requested resource ( pods/log a)"),
        (409, "Conflict", "the server reported a conflict ( pods/log a)"),
        (500, "InternalError", "Internal error occurred: said"),
        (503, "ServiceUnavailable", "the server is currently unable to handle the request ( pods/log a)"),
    ],
)
def test_a_refusal_of_the_node_is_told_in_the_words_of_a_real_server(
    status: int, want_reason: str, want_message: str
) -> None:
    failure = refusal(status, "said", "a")
    assert (failure.code, failure.reason, failure.message) == (status, want_reason, want_message)
