"""Serves one text on the loopback address, at a path that nobody can guess, until interrupted."""

import secrets
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ADDRESS = "127.0.0.1"
_HEADERS = {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def serve_text(content: Callable[[], Iterator[bytes]], on_ready: Callable[[str], None]) -> None:
    """Serves what `content` yields, anew for each reader; `on_ready` is told the address. Ends with KeyboardInterrupt."""
    path = f"/{secrets.token_urlsafe(24)}"

    class Page(BaseHTTPRequestHandler):
        """Answers at the one path."""

        def do_GET(self) -> None:
            """Writes the text, or says that there is nothing."""
            is_it = secrets.compare_digest(self.path.encode("utf-8", "replace"), path.encode())
            self.send_response(200 if is_it else 404)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in content() if is_it else ():
                self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            """Keeps quiet: the path is a secret."""

    with ThreadingHTTPServer((_ADDRESS, 0), Page) as server:
        server.daemon_threads = True
        on_ready(f"http://{_ADDRESS}:{server.server_port}{path}")
        server.serve_forever(poll_interval=0.2)
