"""A pair of ssh keys put into a Secret.

The library that makes keys costs 30 ms to import, and most operators never see a job that needs one: it is imported
with the first key. A key itself takes 2 ms.
"""

from base64 import b64encode

from corral.kinds.objects import Object

PRIVATE_KEY, PUBLIC_KEY = "ssh-privatekey", "ssh-publickey"


def fill_ssh_keys(obj: Object) -> Object:
    """Returns a Secret with a new private key (PEM) and its public key, as a line of `authorized_keys`."""
    private, public = make_key_pair()
    keys = {PRIVATE_KEY: b64encode(private).decode(), PUBLIC_KEY: b64encode(public).decode()}
    return {**obj, "data": {**(obj.get("data") or {}), **keys}}


def make_key_pair() -> tuple[bytes, bytes]:
    """Returns a new private key of the curve P-521 and its public key."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP521R1, generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = generate_private_key(SECP521R1())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return private, public + b"\n"
