"""Plays a story to a server and writes down what came back."""

import json
import re
import secrets
import subprocess
import time
from typing import Any

import yaml

from corral.testing.contracts.kubernetes_api.client_calls import CALLS, official_client
from corral.testing.contracts.kubernetes_api.masking import Masks, in_order
from corral.testing.contracts.kubernetes_api.server import Exchange, Server
from corral.testing.contracts.kubernetes_api.story import SENT, TAKEN, Step, Story

PATIENCE_SECONDS = 30.0
_HOLE = re.compile(r"\{([a-z_]+)\}")
_LOG_HEAD = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ ", re.MULTILINE)
_COUNTED_AGE = re.compile(r"(?<=\s)\d+(ms|s)(?=\s|$)")

Transcript = list[dict[str, Any]]


def play(story: Story, server: Server) -> Transcript:
    """Returns what the server answered to each step, masked, in a namespace made for the purpose."""
    return Player(server).play(story)


class Player:
    """One story being played: what was kept, and the marks given so far."""

    def __init__(self, server: Server) -> None:
        self._server = server
        number = secrets.token_hex(5)
        namespace = f"story-{number}"
        self._kept: dict[str, Any] = {
            "ns": namespace,
            "id": number,
            "core": f"/api/v1/namespaces/{namespace}",
            "apps": f"/apis/apps/v1/namespaces/{namespace}",
            "batch": f"/apis/batch/v1/namespaces/{namespace}",
        }
        self._masks = Masks({namespace: "{ns}", number: "{id}"})

    def play(self, story: Story) -> Transcript:
        """Plays every step."""
        self._make_namespace()
        try:
            return [self._played(step) for step in story.steps]
        finally:
            self._server.json("DELETE", f"/api/v1/namespaces/{self._kept['ns']}")

    def _make_namespace(self) -> None:
        """Makes the namespace and, where no controller does, the account without which pods are refused."""
        name = self._kept["ns"]
        self._server.json("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        path = f"/api/v1/namespaces/{name}/serviceaccounts"
        self._server.json("POST", path, {"metadata": {"name": "default"}})

    def _played(self, step: Step) -> dict[str, Any]:
        if step.do:
            return self._asked(step)
        if step.watch:
            return self._watched(step)
        if step.client:
            return self._driven(step)
        return self._called(step) if step.kubectl else self._waited(step)

    def _asked(self, step: Step) -> dict[str, Any]:
        method, path = self._filled(step.do).split(" ", 1)
        if prefix := isinstance(step.send, dict) and value_at(step.send, "metadata.generateName"):
            self._masks.expect(self._filled(prefix))
        exchange = self._server.ask(method, path, self._content(step), self._headers(step))
        body = decoded(exchange)
        for name, where in step.keep.items():
            self._kept[name] = value_at(body, where)
        told: dict[str, Any] = {"step": step.title, "status": exchange.status}
        told["type"] = ", ".join(exchange.header("content-type"))
        if warnings := exchange.header("warning"):
            told["warnings"] = [self._masks.text(warning) for warning in warnings]
        masked = self._masks.masked(body)
        return told | {"body": _part(in_order(masked) if step.unordered else masked, step.show)}

    def _watched(self, step: Step) -> dict[str, Any]:
        events: list[Any] = []
        try:
            for line in self._server.stream(self._filled(step.watch), self._headers(step)):
                events.append(json.loads(line))
                if len(events) == step.events:
                    break
        except TimeoutError:
            events.append(f"nothing more within the time, {len(events)} of {step.events} events came")
        return {"step": step.title, "events": [_part(self._masks.masked(event), step.show) for event in events]}

    def _driven(self, step: Step) -> dict[str, Any]:
        with official_client(self._server.kubeconfig) as api:
            told = CALLS[step.client](api, self._kept["ns"])
        return {"step": step.title, "told": self._masks.masked(told)}

    def _called(self, step: Step) -> dict[str, Any]:
        run = run_kubectl(self._server, [self._filled(w) for w in step.kubectl], self._kept["ns"], self._text(step))
        told: dict[str, Any] = {"step": step.title, "exit": run.returncode}
        if step.form == "parsed":
            parsed = yaml.safe_load(run.stdout) if run.stdout else None
            told["out"] = _part(self._masks.masked(parsed), step.show)
        else:
            told["out"] = self._lines(run.stdout)
        return told | {"err": self._lines(run.stderr)}

    def _lines(self, text: str) -> list[str]:
        """Returns the lines of a terminal; the width of columns is kubectl's affair and depends on the names."""
        masked = _LOG_HEAD.sub("", _COUNTED_AGE.sub("<age>", self._masks.text(text)))
        return [re.sub(r" {2,}", "  ", line).rstrip() for line in masked.splitlines()]

    def _waited(self, step: Step) -> dict[str, Any]:
        deadline, path = time.monotonic() + PATIENCE_SECONDS, self._filled(step.until)
        while True:
            exchange = self._server.ask("GET", path)
            body = decoded(exchange)
            missing = {w: value_at(body, w) for w, v in step.has.items() if value_at(body, w) != self._fill(v)}
            if exchange.status == step.answers and not missing:
                for name, where in step.keep.items():
                    self._kept[name] = value_at(body, where)
                return {"step": step.title, "reached": True}
            if time.monotonic() > deadline:
                return {"step": step.title, "reached": False, "status": exchange.status, "instead": missing}
            time.sleep(0.05)

    def _headers(self, step: Step) -> dict[str, str]:
        sent = {"Content-Type": SENT.get(step.form, step.form)} if step.send is not None else {}
        return sent | {"Accept": TAKEN.get(step.take, step.take)} | step.headers

    def _content(self, step: Step) -> bytes | None:
        return None if step.send is None else self._text(step).encode("utf-8", "surrogateescape")

    def _text(self, step: Step) -> str:
        if step.send is None:
            return ""
        sent = self._fill(step.send)
        return sent if isinstance(sent, str) else json.dumps(sent)

    def _fill(self, value: Any) -> Any:
        if isinstance(value, str):
            return _lengthened(value) if value.startswith("$big ") else self._filled(value)
        if isinstance(value, list):
            return [self._fill(item) for item in value]
        if isinstance(value, dict):
            return {self._filled(key): self._fill(item) for key, item in value.items()}
        return value

    def _filled(self, text: str) -> str:
        return _HOLE.sub(lambda found: str(self._kept.get(found[1], found[0])), text)


def run_kubectl(server: Server, words: list[str], namespace: str, text: str) -> subprocess.CompletedProcess[str]:
    """Runs kubectl against a server, with nothing of the caller's own settings."""
    assert server.kubectl is not None
    command = [str(server.kubectl), f"--kubeconfig={server.kubeconfig}", f"--namespace={namespace}", *words]
    environment = {"HOME": str(server.kubeconfig.parent), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, input=text, capture_output=True, text=True, env=environment, timeout=60)


def decoded(exchange: Exchange) -> Any:
    """Returns the content of an answer as JSON or YAML where it is that, else as text."""
    kind = ", ".join(exchange.header("content-type")).split(";")[0]
    if kind == "application/json" and exchange.content:
        return json.loads(exchange.content)
    if kind == "application/yaml":
        return yaml.safe_load(exchange.content)
    return exchange.content.decode("utf-8", "replace")


def value_at(value: Any, path: str) -> Any:
    """Returns what a dotted path leads to, None when there is nothing.

    In a list, a number is a place and a word is the name, type or other plain value of the item; `~` stands for a dot.
    """
    for part in (word.replace("~", ".") for word in path.split(".")):
        if isinstance(value, list) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        elif isinstance(value, list):
            value = next((item for item in value if isinstance(item, dict) and _is_called(item, part)), None)
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _lengthened(text: str) -> str:
    """Returns as many letters as `$big NUMBER` asks for."""
    return "x" * int(text.removeprefix("$big "))


def _is_called(item: dict[str, Any], word: str) -> bool:
    meta = item.get("metadata")
    return word in item.values() or (isinstance(meta, dict) and meta.get("name") == word)


def _part(value: Any, show: tuple[str, ...]) -> Any:
    return {path: value_at(value, path) for path in show} if show else value
