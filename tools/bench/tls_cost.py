"""What TLS adds to an exchange, measured between two of our own processes, since the real server cannot go without."""

import multiprocessing
import socket
import ssl
import tempfile
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from corral.testing.control_plane.certificates import Authority
from tools.bench.wire import Address, Connection

BODY = b"x" * 5_000
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n" + BODY
EXCHANGES = 1_500


def tls_milliseconds() -> float:
    """Returns the median difference between an exchange of 5 KB each way with TLS and without."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as directory:
        authority = Authority(Path(directory), "bench-authority")
        pair = authority.issue("server", user="server", hosts=["127.0.0.1"])
        medians = []
        for keys in (None, (str(pair.certificate), str(pair.key))):
            ours, theirs = context.Pipe()
            server = context.Process(target=_echo, args=(theirs, keys), daemon=True)
            server.start()
            certificate = str(authority.pair.certificate) if keys else None
            medians.append(_exchange_milliseconds(Address("127.0.0.1", ours.recv(), "", certificate)))
            server.join(10)
    return medians[1] - medians[0]


def _exchange_milliseconds(address: Address) -> float:
    connection, request = Connection(address), address.request("POST", "/", BODY)
    durations = []
    for _ in range(EXCHANGES):
        before = perf_counter_ns()
        connection.exchange(request)
        durations.append(perf_counter_ns() - before)
    connection.close()
    return median(durations) / 1e6


def _echo(pipe: Pipe, keys: tuple[str, str] | None) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    pipe.send(listener.getsockname()[1])
    peer, _ = listener.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if keys is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*keys)
        peer = context.wrap_socket(peer, server_side=True)
    seen = 0
    while data := peer.recv(1 << 16):
        seen += len(data)
        if data.endswith(BODY[-16:]) and seen > len(BODY):
            peer.sendall(ANSWER)
            seen = 0
