"""Random bodies for every kind, mostly of the right shape: whatever comes back, it is never our bug."""

import http.client
import json
import os
import random
import string
from pathlib import Path
from typing import Any

from tests.api_process import Answer, ApiProcess, ask

BODIES = 120 if os.environ.get("CORRAL_TEST_FULL") else 12
"""How many bodies each kind gets."""
TEXTS = [
    "",
    "a",
    "A_B",
    "10%",
    "0",
    "-1",
    "1Gi",
    "0.5",
    "100m",
    "1e309Gi",
    "a/b",
    "../x",
    "\u202e",
    "x" * 300,
    "true",
    "Always",
]
NUMBERS = [0, 1, -1, 65536, 2**31, 2**63 - 1, -(2**63), 0.5, 1e300]
PATCHES = ("merge-patch+json", "strategic-merge-patch+json", "json-patch+json", "apply-patch+yaml")
REAL_500 = (
    "resourceVersion should not be set on objects to be created",
    "strconv.ParseUint",
    "failed to create typed ",
    "does not contain declared merge key",
)
"""Answers in which a real server has the code 500 as well."""


class Bodies:
    """Makes values from the schemas that the server publishes; one in ten is of another shape."""

    def __init__(self, definitions: dict[str, Any], dice: random.Random) -> None:
        self.definitions = definitions
        self.dice = dice

    def value(self, schema: dict[str, Any], depth: int) -> Any:
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
        if self.dice.random() < 0.05:
            return self.junk(depth)
        kind = schema.get("type", "object")
        if kind == "array":
            return (
                [self.value(schema.get("items", {}), depth + 1) for _ in range(self.dice.randint(0, 2))]
                if depth < 9
                else []
            )
        if kind == "object":
            return self.object(schema, depth)
        if kind == "string":
            return self.dice.choice([*TEXTS, *schema.get("enum", []), "default", "name-1"])
        if kind == "boolean":
            return self.dice.choice([True, False])
        return self.dice.choice(NUMBERS)

    def object(self, schema: dict[str, Any], depth: int) -> Any:
        if depth > 9:
            return {}
        properties = schema.get("properties", {})
        wanted = set(schema.get("required", []))
        made = {k: self.value(s, depth + 1) for k, s in properties.items() if k in wanted or self.dice.random() < 0.25}
        if "additionalProperties" in schema:
            texts = self.dice.sample([*TEXTS, "key"], self.dice.randint(0, 2))
            made |= {t: self.value(schema["additionalProperties"], depth + 1) for t in texts}
        return made

    def junk(self, depth: int) -> Any:
        choice = self.dice.randint(0, 6)
        if choice < 2 and depth < 8:
            return [self.junk(depth + 1)] if choice else {self.dice.choice(TEXTS): self.junk(depth + 1)}
        return self.dice.choice(
            [None, True, 1.5, -1, 10**18, "".join(self.dice.choices(string.printable, k=8)), [], {}]
        )


PROBLEMS: dict[str, str] = {}


def judge(answer: Answer, sent: Any) -> None:
    """Notes an answer that is our bug, with the first body that it was given for."""
    if answer.status >= 500 and not any(text in answer.message for text in REAL_500):
        PROBLEMS.setdefault(f"{answer.status} {answer.message}"[:150], json.dumps(sent)[:3000])


def kinds_of(api: ApiProcess) -> list[tuple[str, str, str, bool]]:
    """Returns path prefix, api version, kind and whether it is namespaced, of all that can be created."""
    roots = [("/api/v1", "v1")]
    for group in api.ask("GET", "/apis").json["groups"]:
        roots += [(f"/apis/{v['groupVersion']}", v["groupVersion"]) for v in group["versions"]]
    found = []
    for root, version in roots:
        for resource in api.ask("GET", root).json["resources"]:
            if "create" in resource["verbs"] and "/" not in resource["name"]:
                prefix = f"{root}/namespaces/default" if resource["namespaced"] else root
                found.append((f"{prefix}/{resource['name']}", version, resource["kind"], resource["namespaced"]))
    return found


def test_no_body_of_any_kind_breaks_the_server(tmp_path: Path) -> None:
    with ApiProcess(tmp_path) as api:
        created = _send_all(api)
        assert not PROBLEMS, "\n".join(PROBLEMS)
        assert created > 0
        state = {kind: api.ask("GET", path).json["items"] for path, _, kind, _ in kinds_of(api)}
        assert api.metric("corral_store_revision") > 0
        assert "Traceback" not in api.log_text(), api.log_text()
        assert api.end(9) == -9
        api.start()
        assert {kind: api.ask("GET", path).json["items"] for path, _, kind, _ in kinds_of(api)} == state


def _send_all(api: ApiProcess) -> int:
    definitions = api.ask("GET", "/openapi/v2").json["definitions"]
    schemas = {
        (g["version"] if not g["group"] else f"{g['group']}/{g['version']}", g["kind"]): d
        for d in definitions.values()
        for g in d.get("x-kubernetes-group-version-kind", [])
    }
    bodies = Bodies(definitions, random.Random(11))
    kinds = kinds_of(api)
    assert len(kinds) > 20
    connection = api.connect()
    created = 0
    for path, version, kind, _ in kinds:
        for number in range(BODIES):
            created += _try(connection, bodies, path, (version, kind, number), schemas.get((version, kind), {}))
    connection.close()
    return created


def _try(
    connection: http.client.HTTPConnection,
    bodies: Bodies,
    path: str,
    which: tuple[str, str, int],
    schema: dict[str, Any],
) -> bool:
    version, kind, number = which
    body = bodies.object(schema, 0)
    body |= {"apiVersion": version, "kind": kind}
    if bodies.dice.random() < 0.9:
        body["metadata"] = {"name": f"fuzz-{number}"}
    answer = ask(connection, "POST", path, body)
    judge(answer, body)
    one = f"{path}/fuzz-{number}"
    change = {k: v for k, v in bodies.object(schema, 0).items() if k not in ("apiVersion", "kind", "metadata")}
    operations = [
        {
            "op": bodies.dice.choice(["add", "replace", "remove", "test", "copy"]),
            "path": f"/{k}",
            "from": "/spec",
            "value": v,
        }
        for k, v in change.items()
    ]
    for form in PATCHES:
        sent: Any = operations if form.startswith("json-") else change
        if form.startswith("apply"):
            sent = {**change, "apiVersion": version, "kind": kind}
        judge(ask(connection, "PATCH", f"{one}?fieldManager=f", sent, {"Content-Type": f"application/{form}"}), sent)
        judge(ask(connection, "PATCH", f"{one}/status", sent, {"Content-Type": f"application/{form}"}), sent)
    update = {**body, **change, "metadata": {"name": f"fuzz-{number}"}}
    judge(ask(connection, "PUT", one, update), update)
    for accept in ("application/json;as=Table;g=meta.k8s.io;v=v1", "application/yaml"):
        judge(ask(connection, "GET", one, headers={"Accept": accept}), accept)
    judge(ask(connection, "DELETE", f"{one}?gracePeriodSeconds=0"), one)
    return answer.status == 201
