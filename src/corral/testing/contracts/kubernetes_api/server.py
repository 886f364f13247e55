"""A Kubernetes API server as the suite sees it: one address, one token, plain HTTP exchanges.

The suite speaks HTTP by itself, because every client library repairs, hides or refuses something of what a server says.
"""

import json
import ssl
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

USER_AGENT = "conformance/1.0 (suite)"
"""Its first word becomes the field manager of writes that name none."""


@dataclass(frozen=True)
class Exchange:
    """What came back: status, headers (lower case; repeated ones in order) and content."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes

    def header(self, name: str) -> list[str]:
        """Returns every value of one header."""
        return [value for key, value in self.headers if key == name]


class Server:
    """One API server, reached as its kubeconfig says; not for use by two threads."""

    def __init__(self, kubeconfig: Path, kubectl: Path | None = None) -> None:
        self.kubeconfig = kubeconfig
        self.kubectl = kubectl
        """The kubectl to drive; stories that need one are not run without it."""
        config = yaml.safe_load(kubeconfig.read_text())
        self._where = config["clusters"][0]["cluster"]
        self._token = next(user["user"]["token"] for user in config["users"] if "token" in user["user"])
        self._connection: HTTPConnection | None = None

    def ask(self, method: str, path: str, content: bytes | None = None, headers: Mapping[str, str] = {}) -> Exchange:
        """Sends one request and returns the answer, whatever it is; a connection that was closed meanwhile is renewed."""
        for last_try in (False, True):
            connection = self._connection = self._connection or self._connect()
            try:
                connection.request(method, path, content, self._headers(headers))
                response = connection.getresponse()
                found = tuple((key.lower(), value) for key, value in response.getheaders())
                return Exchange(response.status, found, response.read())
            except (HTTPException, ConnectionError):
                self.close()
                if last_try:
                    raise
        raise AssertionError

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Sends JSON and returns the decoded answer, success or not."""
        content = None if body is None else json.dumps(body).encode()
        return json.loads(self.ask(method, path, content, {"Content-Type": "application/json"}).content)

    def stream(self, path: str, headers: Mapping[str, str] = {}, seconds: float = 3.0) -> Iterator[bytes]:
        """Yields the lines of a watch as they come; raises TimeoutError when none comes for too long."""
        connection = self._connect(seconds)
        try:
            connection.request("GET", path, headers=self._headers(headers))
            response = connection.getresponse()
            if response.status != 200:
                yield response.read()
                return
            while line := response.readline():
                yield line
        finally:
            connection.close()

    def close(self) -> None:
        """Ends the connection; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self._token}", "User-Agent": USER_AGENT, "Accept": "application/json"}
        return {key: value for key, value in (own | dict(more)).items() if value}

    def _connect(self, seconds: float = 30.0) -> HTTPConnection:
        where = urlsplit(self._where["server"])
        host, port = where.hostname or "", where.port
        if where.scheme == "http":
            return HTTPConnection(host, port, timeout=seconds)
        authority = b64decode(self._where["certificate-authority-data"]).decode()
        return HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context(cadata=authority))
