"""A stand-in for the API server: serves on the handed socket, says its pid, and obeys a few words in files.

Used by the tests of the supervisor, which must not depend on what a child does.
"""

import http.server
import os
import socket
import sys


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers every GET with the pid of this process."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = str(os.getpid()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing."""


def main(folder: str, listen_fd: int) -> None:
    """Serves until it is ended, unless a file `exit-with` in the folder names an exit status."""
    order = os.path.join(folder, "exit-with")
    if os.path.exists(order):
        with open(order) as file:
            _fail(file.read())
    server = http.server.HTTPServer(("127.0.0.1", 0), Answers, bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=listen_fd)
    server.serve_forever()


def _fail(status: str) -> None:
    sys.stderr.write(f"told to fail with {status}\n")
    sys.exit(int(status))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
