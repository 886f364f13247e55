"""A door before the embedded API behind which only some namespaces are: everything else is forbidden, as a Role has it."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig

_OPEN = ("/api", "/apis", "/version", "/readyz")


@contextmanager
def narrow_door(home: Path, file: Path, *forbidden: str) -> Iterator[Path]:
    """Yields a kubeconfig with which only namespaced paths are answered, and of these none with a forbidden word in it."""
    access = access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", {})
    token = json.loads((home / "kubeconfig").read_text())["users"][0]["user"]

    class Door(BaseHTTPRequestHandler):
        """Passes on what is allowed."""

        def answer(self) -> None:
            """Answers one request."""
            path = urlsplit(self.path).path
            is_open = "/namespaces/" in path or path.rstrip("/") in _OPEN
            if not is_open or any(word in path for word in forbidden):
                what = f'User "jane" cannot list {path} at the cluster scope'
                self._say(
                    403, json.dumps({"kind": "Status", "reason": "Forbidden", "code": 403, "message": what}).encode()
                )
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            inner = http.client.HTTPConnection(urlsplit(access.server).netloc, timeout=30)
            dropped = ("host", "connection", "accept-encoding", "content-length")
            headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            inner.request(self.command, self.path, body or None, headers)
            answer = inner.getresponse()
            self._say(answer.status, answer.read(), answer.headers.get("Content-Type") or "")
            inner.close()

        def _say(self, code: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - the names that the library calls

        def log_message(self, *_: object) -> None:
            """Keeps quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    config = {
        "current-context": "narrow",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "contexts": [{"name": "narrow", "context": {"cluster": "c", "user": "jane", "namespace": "default"}}],
        "users": [{"name": "jane", "user": token}],
    }
    file.write_text(json.dumps(config))
    try:
        yield file
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
