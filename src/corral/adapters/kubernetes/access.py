"""How to reach one API server, as plain values: where it is, whom to trust, who we are.

Readers (kubeconfig, in-cluster, the embedded server's own file) make an `Access`; transports consume it. Nothing here
opens a connection or runs a command.
"""

import msgspec


class Tls(msgspec.Struct, frozen=True):
    """Whom we trust and which certificate we show; inline data wins over files, as in a kubeconfig."""

    authority_data: bytes = b""
    authority_file: str = ""
    verify: bool = True
    server_name: str = ""
    """The name to check in the server's certificate instead of the host of its address."""
    certificate_data: bytes = b""
    certificate_file: str = ""
    key_data: bytes = b""
    key_file: str = ""


class ExecPlugin(msgspec.Struct, frozen=True):
    """A command that prints credentials (client.authentication.k8s.io); run as an argument list, never by a shell."""

    api_version: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    install_hint: str = ""
    interactive_mode: str = "IfAvailable"
    provide_cluster_info: bool = False


class Access(msgspec.Struct, frozen=True):
    """Everything a transport needs; at most one way to prove who we are is used: plugin, token file, token, password."""

    server: str
    tls: Tls = Tls()
    token: str = ""
    token_file: str = ""
    username: str = ""
    password: str = ""
    plugin: ExecPlugin | None = None
    namespace: str = "default"
    context: str = ""
    """The context this came from, for messages; "" in a cluster."""
    proxy: str = ""
    """An HTTP proxy, or "" for none."""
    impersonate: tuple[tuple[str, str], ...] = ()
    """Headers of impersonation (`as` in a kubeconfig)."""
    user: str = ""
    """What the kubeconfig calls whom we are."""

    @property
    def is_secure(self) -> bool:
        """Whether the server is reached by TLS."""
        return self.server.startswith("https://")


class Timeouts(msgspec.Struct, frozen=True):
    """How long we wait for another machine, in seconds."""

    connect: float = 5.0
    answer: float = 60.0
    """Without a byte of the answer. Longer than a slow API server needs (30 s), since giving up leaves a write undecided."""


DEFAULT_TIMEOUTS = Timeouts()
