"""What would become several headers is not sent, and told in words."""

import socket

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import PermanentError
from corral.kinds.well_known import CONFIG_MAP


@pytest.mark.parametrize(
    "who", [{"token": "abc\r\nX-Remote-User: root"}, {"impersonate": (("Impersonate-User", "a\nb"),)}]
)
def test_a_credential_of_several_lines_is_refused(who: dict[str, object]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with SyncClient(Access(address, **who)) as client, pytest.raises(PermanentError) as caught:  # type: ignore[arg-type]
            client.list(CONFIG_MAP)
        with server.accept()[0] as heard:
            assert heard.recv(100) == b""
    assert caught.value.code == "no-credentials"
    assert "one line of text" in caught.value.hint
