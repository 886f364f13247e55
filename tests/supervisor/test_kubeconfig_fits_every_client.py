"""client-go sends no token over plain HTTP, but for whom it acts; other clients do the opposite.

So the file carries the token in both places, and in no address that people see.
"""

import json
import os
from pathlib import Path

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.engine.supervisor.home import Home, kubeconfig_text


def test_the_token_stands_where_each_kind_of_client_looks() -> None:
    document = json.loads(kubeconfig_text(17600, "abc"))
    assert document["clusters"][0]["cluster"]["server"] == "http://127.0.0.1:17600"
    user = document["users"][0]["user"]
    assert user == {"token": "abc", "as": "corral", "as-user-extra": {"corral-token": ["abc"]}}


def test_our_own_client_reads_it_and_keeps_the_token_out_of_the_address(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    home.make_folders()
    home.ensure_token()
    home.remember_port(17600)
    access = access_of(read_kubeconfig([home.kubeconfig]), "corral", {})
    assert (access.server, access.token) == ("http://127.0.0.1:17600", home.token())


def test_secrets_are_private_and_kept(tmp_path: Path) -> None:
    """Invariant P5."""
    home = Home(str(tmp_path / "home"))
    home.make_folders()
    home.ensure_token()
    home.remember_port(17600)
    token = home.token()
    home.ensure_token()
    assert home.token() == token
    assert len(bytes.fromhex(token)) == 32
    assert [os.stat(path).st_mode & 0o777 for path in (home.token_file, home.kubeconfig)] == [0o600, 0o600]
    assert os.stat(home.root).st_mode & 0o777 == 0o700
