"""TLS contexts from plain values: only the cluster's authority is loaded, which also makes the command line quick.

OpenSSL reads certificates and keys from files only; inline ones pass through an anonymous memory file where the system
has them, else through a private temporary file that is gone before this returns.
"""

import os
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from corral.adapters.kubernetes.access import Tls
from corral.errors import PermanentError


def tls_context(tls: Tls, certificate: tuple[bytes, bytes] | None = None) -> ssl.SSLContext:
    """Returns a context that trusts and shows what `tls` says; a plugin's `certificate` wins over its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        _trust(context, tls)
        _show(context, tls, certificate)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise PermanentError("bad-certificate", f"a certificate, key or authority cannot be used: {error}") from error
    return context


def _trust(context: ssl.SSLContext, tls: Tls) -> None:
    if not tls.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif tls.authority_data:
        context.load_verify_locations(cadata=tls.authority_data.decode("ascii"))
    elif tls.authority_file:
        context.load_verify_locations(cafile=tls.authority_file)
    else:
        context.load_default_certs()


def _show(context: ssl.SSLContext, tls: Tls, certificate: tuple[bytes, bytes] | None) -> None:
    data, key = certificate or (tls.certificate_data, tls.key_data)
    if not (data or tls.certificate_file):
        return
    with ExitStack() as files:
        certificate_file = files.enter_context(_as_file(data)) if data else tls.certificate_file
        key_file = files.enter_context(_as_file(key)) if key else tls.key_file
        context.load_cert_chain(certificate_file, key_file or None, password=_no_password)


def _no_password() -> str:
    raise ValueError("the key is protected by a password, which nobody could be asked for")


@contextmanager
def _as_file(data: bytes) -> Iterator[str]:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("corral-key", os.MFD_CLOEXEC)
        try:
            os.write(descriptor, data)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    import tempfile  # only where there are no memory files

    descriptor, path = tempfile.mkstemp(prefix="corral-")
    try:
        os.write(descriptor, data)
        os.close(descriptor)
        yield path
    finally:
        os.unlink(path)
