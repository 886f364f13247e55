"""Opening a connection to an API server with the standard library: plainly, by TLS, and by TLS through a proxy."""

import select
import socket
from typing import TYPE_CHECKING

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.addresses import Address, address_of
from corral.adapters.kubernetes.http_messages import BadHttpError, Inlet, Response, request, response
from corral.errors import PermanentError

if TYPE_CHECKING:
    from ssl import SSLSocket


class HttpConnection:
    """One connection, on which one call is made after the other."""

    def __init__(self, opened: "socket.socket | SSLSocket", host: str) -> None:
        self.socket = opened
        self._inlet = Inlet(opened)
        self._host = host

    def ask(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Response:
        """Sends a request and returns its answer as soon as the head is there."""
        self.socket.sendall(request(method, target, {"Host": self._host, **headers}, body))
        return response(self._inlet, method)

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to read although nothing was asked: if there is, that is the server's farewell."""
        # Not `select`, which knows no handles above 1023.
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0) and self._inlet.is_empty

    def close(self) -> None:
        """Ends it."""
        self.socket.close()


def connection_to(access: Access, certificate: tuple[bytes, bytes] | None, limit: float) -> HttpConnection:
    """Opens a connection to the server of an access, within so many seconds for each step of it.

    `certificate` is what a plugin gave us to show.
    """
    server = address_of(access.server)
    if not access.is_secure:
        if access.proxy:
            raise PermanentError("unsupported-proxy", "an http:// server is reached directly only, without a proxy")
        return HttpConnection(_dialled(server, limit), server.authority)
    opened = _dialled(address_of(access.proxy or access.server), limit)
    try:
        if access.proxy:
            _dig(opened, server)
        return HttpConnection(_secured(opened, access, certificate, server.host), server.authority)
    except BaseException:
        opened.close()
        raise


def _dialled(where: Address, limit: float) -> socket.socket:
    # Bytes are looked up as they are: to write a name in the way of international ones first costs an import.
    host = where.host.encode() if where.host.isascii() else where.host
    opened = socket.create_connection((host, where.port), limit)  # type: ignore[arg-type]
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def _secured(opened: socket.socket, access: Access, certificate: tuple[bytes, bytes] | None, host: str) -> "SSLSocket":
    """Greets by TLS; the certificate is checked for another name than the one we dialled when a kubeconfig says so."""
    from corral.adapters.kubernetes.trust import tls_context  # what speaks plainly need not load TLS

    name = access.tls.server_name or host
    return tls_context(access.tls, certificate).wrap_socket(
        opened, server_hostname=name.encode() if name.isascii() else name
    )


def _dig(opened: socket.socket, server: Address) -> None:
    """Asks a proxy for a way through; what comes behind its answer is said by the server."""
    target = f"{server.bracketed}:{server.port}"
    opened.sendall(request("CONNECT", target, {"Host": target}, None))
    inlet = Inlet(opened)
    told = response(inlet, "CONNECT").head
    if not 200 <= told.status < 300 or not inlet.is_empty:
        raise BadHttpError(f"the proxy does not let us through: HTTP {told.status}")
