"""Who may ask a node: whoever shows its token, or the API server's certificate. Pure, but for loading the files."""

import hmac
import ssl
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from corral.adapters.kubelet_api.certificate import Certificate

API_SERVER_NAMES = frozenset(("kube-apiserver", "kube-apiserver-kubelet-client", "system:kube-apiserver"))
"""How API servers call themselves in the certificate that they show to kubelets."""
ADMINISTRATORS = frozenset(("system:masters", "kubeadm:cluster-admins"))
"""The groups of those who may do anything anyway; kubeadm puts its API server's certificate into the second."""


class Admission(NamedTuple):
    """What opens the doors; nothing, when both are empty."""

    token: str = ""
    client_ca: str = ""
    """A file with the certificates of those who sign for API servers."""

    def lets_in(self, authorization: str, certificate: Mapping[str, Any] | None) -> bool:
        """Whether a request may be answered, by its header and the certificate that TLS has verified."""
        wanted = f"Bearer {self.token}"
        if self.token and hmac.compare_digest(authorization.encode(), wanted.encode()):
            return True
        return bool(self.client_ca) and certificate is not None and is_api_server(certificate)


def is_api_server(certificate: Mapping[str, Any]) -> bool:
    """Whether a verified certificate is one of an API server, and not of anybody else for whom the same authority signs."""
    parts = [part for several in certificate.get("subject", ()) for part in several]
    names, groups = _of(parts, "commonName"), _of(parts, "organizationName")
    return bool(names & API_SERVER_NAMES or groups & ADMINISTRATORS)


def _of(parts: Iterable[tuple[str, str]], kind: str) -> set[str]:
    return {value for name, value in parts if name == kind}


def tls_of(certificate: Certificate, client_ca: str) -> ssl.SSLContext:
    """Returns the server's side of TLS; a client may show a certificate, and one that is not good ends the connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.path)
    if client_ca:
        context.load_verify_locations(client_ca)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context
