"""What `list` reads, fetched from a plain API on one connection and thrown away: run as a program of its own, without the package."""

import json
import os
import socket

KINDS = ("pytorchjobs", "tfjobs", "mpijobs", "xgboostjobs", "paddlejobs", "jaxjobs", "mxjobs")
TARGETS = (
    *(f"/apis/kubeflow.org/v1/namespaces/default/{kind}?limit=5000" for kind in KINDS),
    "/api/v1/namespaces/default/pods?labelSelector=training.kubeflow.org/job-name&limit=5000",
)


def main() -> None:
    """Asks for everything that `list` asks for, one after the other."""
    with open(os.environ["KUBECONFIG"], encoding="utf-8") as file:
        config = json.load(file)
    host, _, port = config["clusters"][0]["cluster"]["server"].removeprefix("http://").partition(":")
    token = config["users"][0]["user"]["token"]
    with socket.create_connection((host.encode(), int(port))) as connection:
        for target in TARGETS:
            head = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
            connection.sendall(head.encode())
            _read(connection)


def _read(connection: socket.socket) -> None:
    """Reads an answer to its end; one that is none of the expected ones ends the program."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        raise SystemExit(head.decode())
    size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    rest = bytearray(size - len(body))
    left, at = memoryview(rest), 0
    while at < len(rest):
        at += connection.recv_into(left[at:])


if __name__ == "__main__":
    main()
