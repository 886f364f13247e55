"""Names and labels that try to be something else: refused with the field's path, nothing stored."""

from urllib.parse import quote

import pytest

from tests.api_process import ApiProcess

PATH = "/api/v1/namespaces/default/configmaps"
NAMES = {
    "empty": "",
    "a character too long": "a" * 254,
    "an option": "-rf",
    "a command": "a;touch x",
    "a substitution": "$(id)",
    "backticks": "`id`",
    "a pipe": "a|b",
    "two lines": "a\nb",
    "a NUL": "a\0b",
    "a parent": "../a",
    "capitals": "A_B",
    "an emoji": "a\U0001f600",
    "right to left": "a\u202eb",
    "a homoglyph": "p\u0430ypal",
    "a template": "{{.Values.x}}",
    "a sum": "{{7*7}}",
    "an escaped NUL": "%00",
    "escaped dots": "%2e%2e",
    "a terminal code": "\x1b]0;title\x07",
    "a slash": "a/b",
    "a backslash": "\\..\\",
    "twice escaped": "..%252f..%252f",
    "a matrix": ";/../",
    "a space": " a",
    "dots": "..",
    "a dot": ".",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_objects_do_not_get_such_names(unchanged: ApiProcess, name: str) -> None:
    """Invariants A2 and A3."""
    answer = unchanged.ask("POST", PATH, {"metadata": {"name": name}})
    assert (answer.status, answer.reason) == (422, "Invalid"), answer
    causes = answer.json["details"]["causes"]
    assert {cause["field"] for cause in causes} <= {"metadata.name", "metadata.name or metadata.generateName"}
    assert "\x1b" not in answer.message
    assert "\0" not in answer.message


@pytest.mark.parametrize("name", [n for n in NAMES.values() if n], ids=[k for k, n in NAMES.items() if n])
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_such_names_in_paths_name_nothing(unchanged: ApiProcess, name: str, method: str) -> None:
    headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
    body = {"metadata": {"name": name}} if method in ("PUT", "PATCH") else None
    answer = unchanged.ask(method, f"{PATH}/{quote(name, safe='')}", body, headers)
    assert answer.status in (400, 404, 422), answer
    assert answer.json["kind"] == "Status"


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets",
        "/api/v1/namespaces/%2e%2e/configmaps",
        "/api/v1/namespaces/default/../../../../etc/passwd",
        "/api/v1/namespaces/default/configmaps/%00",
        "/api/v1/namespaces/default/configmaps/%ff%fe",
        "/api/v1/namespaces/default/configmaps/%",
        "/api/v1/namespaces/default/configmaps/%zz",
        "/api/v1/namespaces/default/configmaps/a%",
        "/api//v1/namespaces",
        "/api/v1/namespaces/default/configmaps/x;/../y",
        "/apis/..%252f..%252f/v1/x",
        "/api/v1/namespaces/default/configmaps/\\..\\x",
        "//api/v1/namespaces/default/configmaps/x",
        "/%61pi/v1/namespaces/default/nothings",
        "/openapi/v3/../../../etc/passwd",
        "/openapi/v3/apis/%2e%2e/%2e%2e",
    ],
)
def test_paths_that_climb_find_nothing(unchanged: ApiProcess, path: str) -> None:
    for method in ("GET", "DELETE"):
        answer = unchanged.ask(method, path)
        if answer.status == 200:
            assert answer.json["items"] == [], (method, answer)
        else:
            assert answer.status in (400, 404, 405), (method, answer)


def test_a_homoglyph_is_not_the_name_it_looks_like(api: ApiProcess) -> None:
    alike = quote("p\u0430ypal")
    assert api.ask("POST", PATH, {"metadata": {"name": "paypal"}}).status == 201
    assert api.ask("GET", f"{PATH}/{alike}").status == 404
    assert api.ask("DELETE", f"{PATH}/{alike}").status == 404
    assert api.ask("DELETE", f"{PATH}/paypal").status == 200


@pytest.mark.parametrize(
    ("labels", "field"),
    [
        ({"a": "b" * 64}, "metadata.labels"),
        ({"x/y/z": "1"}, "metadata.labels"),
        ({"": "1"}, "metadata.labels"),
        ({"a" * 64: "1"}, "metadata.labels"),
        ({"a": "-"}, "metadata.labels"),
        ({"a": "\n"}, "metadata.labels"),
        ({"a\0": "x"}, "metadata.labels"),
    ],
)
def test_labels_are_checked(unchanged: ApiProcess, labels: dict[str, str], field: str) -> None:
    answer = unchanged.ask("POST", PATH, {"metadata": {"name": "a", "labels": labels}})
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert {cause["field"] for cause in answer.json["details"]["causes"]} == {field}


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_the_first_namespaces_cannot_be_deleted(unchanged: ApiProcess, name: str) -> None:
    answer = unchanged.ask("DELETE", f"/api/v1/namespaces/{name}")
    assert (answer.status, answer.reason) == (403, "Forbidden")


def test_objects_cannot_be_made_in_a_namespace_that_is_not_there(unchanged: ApiProcess) -> None:
    answer = unchanged.ask("POST", "/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "a"}})
    assert (answer.status, answer.reason) == (404, "NotFound")
    answer = unchanged.ask("POST", PATH, {"metadata": {"name": "a", "namespace": "kube-system"}})
    assert (answer.status, answer.reason) == (400, "BadRequest")


def test_a_generated_name_cannot_carry_anything_else(unchanged: ApiProcess) -> None:
    for prefix in ("../", "A", "a b", "-x", "a\0"):
        answer = unchanged.ask("POST", PATH, {"metadata": {"generateName": prefix}})
        assert (answer.status, answer.reason) == (422, "Invalid"), prefix
