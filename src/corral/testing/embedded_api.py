"""The embedded API server as a child process, for tests that need a server of their own."""

import socket
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from corral.adapters.kubernetes.access import Access

_READY_WITHIN = 20.0


class EmbeddedApi:
    """Runs while entered; `kill` and `start` again keep the state and the port."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="corral-api-")
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        root = Path(self._folder.name)
        (root / "state").mkdir()
        (root / "token").write_text("secret")

    def __enter__(self) -> "EmbeddedApi":
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._folder.cleanup()

    @property
    def access(self) -> Access:
        """Returns how to reach the server."""
        return Access(f"http://127.0.0.1:{self._port}", token="secret", context="embedded")

    @property
    def pid(self) -> int:
        """Returns the process that serves."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the process and returns when it answers."""
        root = Path(self._folder.name)
        with socket.create_server(("127.0.0.1", self._port)) as listener:
            self._port = listener.getsockname()[1]
            fd = str(listener.fileno())
            arguments = ["--data", str(root / "state"), "--token-file", str(root / "token"), "--listen-fd", fd]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "corral.engine.apiserver", *arguments], pass_fds=[listener.fileno()]
            )
        self._wait_ready()

    def kill(self) -> None:
        """Ends the process at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + _READY_WITHIN
        while time.monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is not None:
                raise RuntimeError(f"the embedded API server ended with {self._process.returncode} at its start")
            connection = HTTPConnection("127.0.0.1", self._port, timeout=1.0)
            try:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except (OSError, HTTPException):
                time.sleep(0.02)
            finally:
                connection.close()
        raise RuntimeError(f"the embedded API server did not answer within {_READY_WITHIN:g} s")
