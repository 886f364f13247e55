"""One HTTPS request at a time, with the standard library: enough to ask whether somebody is ready.

Corral's own client is what the tests put on trial, so the fixture must not depend on it.
"""

import json
import ssl
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any

from corral.testing.control_plane.certificates import KeyPair
from corral.testing.control_plane.loopback import ADDRESS


class Wire:
    """Talks to one port of 127.0.0.1 and trusts one authority, so a stranger on that port is never taken for ours."""

    def __init__(self, port: int, authority: Path, *, client: KeyPair | None = None, token: str = "") -> None:
        self._port = port
        self._context = ssl.create_default_context(cafile=authority)
        if client is not None:
            self._context.load_cert_chain(client.certificate, client.key)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def answers(self, path: str) -> bool:
        """Whether `path` gives 200 now; no connection, a refusal and a stranger are all a no."""
        try:
            status, _ = self.request("GET", path, timeout=2.0)
        except (OSError, HTTPException):
            return False
        return status == 200

    def request(
        self, method: str, path: str, body: Any = None, *, accept: str = "application/json", timeout: float = 30.0
    ) -> tuple[int, bytes]:
        """Status and content of one exchange; `body` is sent as JSON."""
        connection = HTTPSConnection(ADDRESS, self._port, timeout=timeout, context=self._context)
        headers = self._headers | {"Accept": accept, "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()
