"""Every cell of the real server's discovery is played or listed, and what is listed is refused in so many words."""

import json

import pytest

from corral.testing.contracts.kubernetes_api.discovered import Served, discover, resources_in, served
from corral.testing.contracts.kubernetes_api.matrix import cells
from corral.testing.contracts.kubernetes_api.page import absent_cells
from corral.testing.contracts.kubernetes_api.samples import samples
from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.contracts.kubernetes_api.unsupported import listed_titles, reason_for

pytest_plugins = [
    "corral.testing.control_plane.pytest_fixture",
    "corral.testing.contracts.kubernetes_api.pytest_fixture",
]

UNSUPPORTED = [pytest.param(resource, id=resource.title) for resource in served() if reason_for(resource)]
METHODS = {
    "create": "POST",
    "delete": "DELETE",
    "deletecollection": "DELETE",
    "get": "GET",
    "list": "GET",
    "patch": "PATCH",
    "update": "PUT",
    "watch": "GET",
}


def test_every_cell_is_played_or_listed() -> None:
    assert absent_cells() == []


def test_every_verb_of_discovery_has_cells() -> None:
    for resource in served():
        if not reason_for(resource):
            known = {cell.verb for cell in cells(resource.subresource)}
            assert set(resource.verbs) <= known, resource.title


def test_nothing_is_listed_that_a_real_server_does_not_serve() -> None:
    titles = {resource.title for resource in served()}
    groups = {f"*.{resource.group}" for resource in served()}
    assert [title for title in listed_titles() if title not in titles | groups] == []


def test_only_cells_that_exist_are_left_out() -> None:
    names = {f"{cell.verb}: {cell.option}" for cell in cells()}
    names |= {f"{below}, {cell.verb}: {cell.option}" for below in ("scale", "status") for cell in cells(below)}
    assert [cell for sample in samples().values() for cell in sample.left_out if cell not in names] == []


@pytest.mark.parametrize("resource", UNSUPPORTED)
def test_what_is_not_served_is_refused_with_a_status(embedded_server: Server, resource: Served) -> None:
    """Invariant A4."""
    collection = resource.collection("default")
    below = f"/{resource.subresource}" if resource.subresource else ""
    for verb in resource.verbs:
        path = (
            collection
            if verb in ("create", "list", "watch", "deletecollection") and not below
            else f"{collection}/a{below}"
        )
        exchange = embedded_server.ask(METHODS[verb], path, b"{}" if METHODS[verb] != "GET" else None)
        assert exchange.status == 404, f"{verb} {path}"
        status = json.loads(exchange.content)
        assert (status["kind"], status["reason"], status["code"]) == ("Status", "NotFound", 404), f"{verb} {path}"


def test_discovery_of_the_embedded_server_is_part_of_the_real_one(embedded_server: Server) -> None:
    ours = {resource.title: resource for resource in _own(embedded_server)}
    real = {resource.title: resource for resource in served() if not reason_for(resource)}
    assert ours == real


def test_the_recorded_discovery_is_that_of_the_real_server(real_server: Server) -> None:
    assert _own(real_server) == served()


def _own(server: Server) -> tuple[Served, ...]:
    """Returns what the server itself serves; definitions, of stories and of the training kinds, add more."""
    found = json.loads(server.ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions").content)
    defined = {definition["spec"]["group"] for definition in found["items"]}
    return tuple(each for each in resources_in(discover(server)) if each.group not in defined)
