"""Keys for ssh between pods: what OpenSSH itself makes of them."""

import subprocess
import sys
from base64 import b64decode
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_public_key

from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys

SECRET = {"kind": "Secret", "metadata": {"name": "pi-ssh"}, "type": "kubernetes.io/ssh-auth"}


def test_secret_holds_a_private_key_and_its_line_for_authorized_keys() -> None:
    filled = fill_ssh_keys(SECRET)
    private, public = (b64decode(filled["data"][name]) for name in ("ssh-privatekey", "ssh-publickey"))
    assert private.startswith(b"-----BEGIN EC PRIVATE KEY-----\n")
    assert public.startswith(b"ecdsa-sha2-nistp521 ")
    assert public.endswith(b"\n")
    made = load_pem_private_key(private, None).public_key()
    assert made == load_ssh_public_key(public)
    assert set(filled["data"]) == {"ssh-privatekey", "ssh-publickey"}


def test_every_secret_gets_keys_of_its_own_and_the_given_object_stays() -> None:
    assert fill_ssh_keys(SECRET)["data"] != fill_ssh_keys(SECRET)["data"]
    assert "data" not in SECRET


def test_operator_that_makes_no_key_does_not_load_the_library() -> None:
    code = "import corral.adapters.ssh_keys.key_pairs, sys; sys.exit('cryptography' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
