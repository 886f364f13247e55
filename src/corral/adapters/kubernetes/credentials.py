"""Who we are, kept fresh: tokens from files and plugins grow old, so they are asked for before each call.

`Credentials.headers` is cheap; `renew` is called after a 401 and may block (it can run a command), so the asynchronous
transport calls it in a thread. The time is an argument of nothing here: this is an adapter and reads the clock.
"""

import os
import time
from base64 import b64encode
from collections.abc import Callable
from datetime import datetime

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.exec_plugin import PluginCredentials, run_plugin
from corral.errors import PermanentError

_FILE_AGE = 60.0
"""A token file is read again after so many seconds; kubelets renew projected tokens long before they expire."""
_EARLY = 30.0
"""A plugin's credentials are replaced so many seconds before they expire."""


class Credentials:
    """The live credentials of one access; `generation` rises when the client certificate changed."""

    def __init__(self, access: Access, *, now: Callable[[], float] = time.time) -> None:
        self._access = access
        self._now = now
        self._token = access.token
        self._read_at: float | None = None
        self._plugin: PluginCredentials | None = None
        self.generation = 0

    @property
    def is_due(self) -> bool:
        """Whether `refresh` has to be called before the next request."""
        if self._access.plugin is not None:
            return self._plugin is None or self._expires_soon()
        if self._access.token_file:
            return self._read_at is None or abs(self._now() - self._read_at) > _FILE_AGE
        return False

    def refresh(self) -> bool:
        """Gets credentials again and tells whether they differ; may block."""
        if self._access.plugin is not None:
            return self._run_plugin()
        if self._access.token_file:
            return self._read_file()
        return False

    def headers(self) -> dict[str, str]:
        """Returns the headers that prove who we are."""
        headers = dict(self._access.impersonate)
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        elif self._access.username:
            pair = f"{self._access.username}:{self._access.password}".encode()
            headers["Authorization"] = f"Basic {b64encode(pair).decode()}"
        return headers

    @property
    def certificate(self) -> tuple[bytes, bytes] | None:
        """Returns the certificate and key that a plugin gave, if any."""
        if self._plugin is None or not self._plugin.certificate:
            return None
        return self._plugin.certificate.encode(), self._plugin.key.encode()

    def _read_file(self) -> bool:
        path = self._access.token_file
        try:
            with open(path, encoding="ascii") as file:
                token = file.read().strip()
        except (OSError, UnicodeDecodeError) as error:
            if self._token:  # being rewritten this very moment; the old one may still be good
                return False
            raise PermanentError("no-credentials", f"the token file {path} cannot be read: {error}") from error
        changed = token != self._token
        self._token = token
        self._read_at = self._now()
        return changed

    def _run_plugin(self) -> bool:
        plugin = self._access.plugin
        assert plugin is not None
        fresh = run_plugin(plugin, self._access, dict(os.environ))
        before = self._plugin
        self._plugin = fresh
        self._token = fresh.token
        if (before.certificate if before else "") != fresh.certificate:
            self.generation += 1
        return before is None or fresh != before

    def _expires_soon(self) -> bool:
        expiry = self._plugin.expires if self._plugin else ""
        return bool(expiry) and _epoch(expiry) - _EARLY < self._now()


def _epoch(stamp: str) -> float:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError as error:
        raise PermanentError("bad-plugin-answer", f"the credential plugin sent a bad expiry: {stamp!r}") from error
