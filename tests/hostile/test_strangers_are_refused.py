"""Requests without the right token, from pages of other sites, or to names that are not ours: refused, nothing done."""

import base64

import pytest

from tests.api_process import TOKEN, ApiProcess

OBJECT = "/api/v1/namespaces/kube-node-lease"
BAD_TOKENS = {
    "none": "",
    "Bearer nothing": "Bearer nothing",
    "an empty bearer": "Bearer ",
    "no scheme": TOKEN,
    "another case": f"bearer {TOKEN}x",
    "a prefix": f"Bearer {TOKEN[:-1]}",
    "a suffix": f"Bearer {TOKEN} x",
    "two": f"Bearer x, Bearer {TOKEN}",
    "basic nonsense": "Basic %%%",
    "another user": "Basic " + base64.b64encode(f"root:{TOKEN}".encode()).decode(),
    "an endless one": "Bearer " + "x" * 30_000,
    "not ASCII": "Bearer \xff\xfe",
}


@pytest.mark.parametrize("token", BAD_TOKENS.values(), ids=BAD_TOKENS.keys())
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_without_the_token_nothing_is_done(unchanged: ApiProcess, token: str, method: str) -> None:
    for path in (OBJECT, "/api/v1/namespaces", "/metrics", "/openapi/v2", "/apis", "/nothing"):
        answer = unchanged.ask(method, path, b"{}", {"Authorization": token})
        assert (answer.status, answer.reason) == (401, "Unauthorized"), path


def test_a_token_in_the_query_is_not_taken(unchanged: ApiProcess) -> None:
    answer = unchanged.ask("DELETE", f"{OBJECT}?access_token={TOKEN}&token={TOKEN}", headers={"Authorization": ""})
    assert answer.status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "evil.example:6443"},
        {"Host": "["},
        {"Host": "\xff"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["DELETE", "POST", "GET"])
def test_pages_of_other_sites_do_nothing(unchanged: ApiProcess, method: str, headers: dict[str, str]) -> None:
    answer = unchanged.ask(method, OBJECT, b"{}", headers)
    assert (answer.status, answer.reason) == (403, "Forbidden")
    assert "access-control-allow-origin" not in answer.headers


def test_names_of_this_machine_are_served(api: ApiProcess) -> None:
    for host in (f"127.0.0.1:{api.port}", f"localhost:{api.port}", "localhost", "[::1]:6443"):
        assert api.ask("GET", "/api", headers={"Host": host}).status == 200
    own = {"Host": f"localhost:{api.port}", "Origin": f"http://localhost:{api.port}", "Sec-Fetch-Site": "same-origin"}
    assert api.ask("GET", "/api", headers=own).status == 200


def test_preflight_requests_open_nothing(unchanged: ApiProcess) -> None:
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "DELETE"}
    answer = unchanged.ask("OPTIONS", OBJECT, headers=headers)
    assert answer.status in (401, 403, 405)
    assert not any(name.startswith("access-control") for name in answer.headers)
