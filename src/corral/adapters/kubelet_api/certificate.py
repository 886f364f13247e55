"""The certificate that a node serves with: signed by itself, kept in its folder, and made anew before it expires.

Nobody can check such a certificate by its signature. Its fingerprint is told on the Node object instead, so that whoever
trusts the API knows whom it speaks with. The library that makes it is imported only when one is made.
"""

import hashlib
import os
import ssl
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import NamedTuple

FILE = "kubelet.pem"
LIFETIME = timedelta(days=730)
RENEWED_AFTER = timedelta(days=540)
_BACKDATED = timedelta(hours=1)
_END = b"-----END CERTIFICATE-----"
_BEGIN = b"-----BEGIN CERTIFICATE-----"


class Certificate(NamedTuple):
    """A file with a certificate and its key, and the fingerprint by which it is known: SHA-256 in hexadecimal digits."""

    path: str
    fingerprint: str


def kept_certificate(folder: str, node: str, now: float | None = None) -> Certificate:
    """Returns the certificate of a node's folder; makes one when there is none, or when it soon expires."""
    path = os.path.join(folder, FILE)
    moment = time.time() if now is None else now
    if not _is_good(path, moment):
        _put(path, self_signed(node, datetime.fromtimestamp(moment, UTC)))
        os.utime(path, (moment, moment))
    return Certificate(path, _fingerprint(path))


def self_signed(node: str, now: datetime) -> bytes:
    """Returns a new key and a certificate for it in PEM form."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = generate_private_key(SECP256R1())
    # A common name has room for 64 letters, a node's name for 253.
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"system:node:{node}"[:64])])
    hosts = [x509.DNSName(node), x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)


def _is_good(path: str, now: float) -> bool:
    """Tells whether a file holds a usable pair that is young enough; its age is that of the file, which saves a parser."""
    try:
        age = now - os.stat(path).st_mtime
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)
    except (OSError, ssl.SSLError):
        return False
    return -_BACKDATED.total_seconds() <= age < RENEWED_AFTER.total_seconds()


def _fingerprint(path: str) -> str:
    with open(path, "rb") as file:
        text = file.read()
    certificate = text[text.index(_BEGIN) : text.index(_END) + len(_END)].decode("ascii")
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()


def _put(path: str, content: bytes) -> None:
    """Writes key and certificate as one file, so that they can never be of different pairs."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    new = path + ".new"
    if os.path.lexists(new):
        os.remove(new)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    os.replace(new, path)
