"""Certificate authorities and the certificates they sign, made anew for every control plane.

Elliptic-curve keys, because making an RSA key takes longer than starting etcd. Everything is valid for a month from an
hour ago: long enough for a control plane that is left running, short enough that an old copy is worth nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from os import O_CREAT, O_EXCL, O_WRONLY, fdopen
from os import open as open_descriptor
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_BACKDATED = timedelta(hours=1)
_LIFETIME = timedelta(days=30)
_BOTH_ENDS = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]


@dataclass(frozen=True)
class KeyPair:
    """Two files in PEM form: a certificate (or bare public key) that may be read, and a key that only we may read."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates; whoever trusts its `pair.certificate` trusts them."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._key = generate_private_key(SECP256R1())
        self._name = _subject(name)
        certificate = _certificate(self._name, self._name, self._key, self._key, is_authority=True)
        self.pair = _write(directory, name, certificate, self._key)

    def issue(self, name: str, *, user: str, groups: Sequence[str] = (), hosts: Sequence[str] = ()) -> KeyPair:
        """A certificate for `user` in `groups`, good as a client and as a server on `hosts`; stored as `name`."""
        key = generate_private_key(SECP256R1())
        certificate = _certificate(_subject(user, groups), self._name, key, self._key, hosts=hosts)
        return _write(self._directory, name, certificate, key)


def signing_keys(directory: Path, name: str) -> KeyPair:
    """A bare key pair without a certificate, as the API server wants for service account tokens."""
    key = generate_private_key(SECP256R1())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return _write(directory, name, public, key)


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: EllipticCurvePrivateKey,
    signer: EllipticCurvePrivateKey,
    *,
    hosts: Sequence[str] = (),
    is_authority: bool = False,
) -> bytes:
    began = datetime.now(UTC) - _BACKDATED
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(began)
        .not_valid_after(began + _BACKDATED + _LIFETIME)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(_usage(is_authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if not is_authority:
        builder = builder.add_extension(x509.ExtendedKeyUsage(_BOTH_ENDS), critical=False)
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), False)
    return builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM)


def _subject(user: str, groups: Sequence[str] = ()) -> x509.Name:
    """Kubernetes reads the user from the common name and the groups from the organizations."""
    organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _usage(is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write(directory: Path, name: str, public: bytes, key: EllipticCurvePrivateKey) -> KeyPair:
    pair = KeyPair(directory / f"{name}.crt", directory / f"{name}.key")
    pair.certificate.write_bytes(public)
    write_secret(pair.key, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return pair


def write_secret(path: Path, content: bytes) -> None:
    """Create `path` so that at no moment anybody else may read it."""
    with fdopen(open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL, 0o600), "wb") as file:
        file.write(content)
