"""Watches have a limit; over it a watch is told to come back, and everything else goes on (invariant A5)."""

import socket
from contextlib import ExitStack
from pathlib import Path

from tests.api_process import TOKEN, ApiProcess

PATH = "/api/v1/namespaces/default/configmaps"


def test_a_watch_too_many_is_refused_and_counted(tmp_path: Path) -> None:
    with ApiProcess(tmp_path, {"world.MOST_WATCHES": 3}) as api, ExitStack() as stack:
        request = f"GET {PATH}?watch=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        for _ in range(3):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=20))
            connection.sendall(request.encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        refused = api.ask("GET", f"{PATH}?watch=true")
        assert (refused.status, refused.reason) == (429, "TooManyRequests")
        assert int(refused.headers["retry-after"]) >= 1
        assert api.ask("GET", PATH).status == 200
        assert api.metric("corral_apiserver_refused_watches_total") == 1
        assert api.metric("corral_apiserver_open_connections") >= 4
        stack.close()
        api.metric_becomes("apiserver_longrunning_requests", 0)
        assert api.ask("GET", f"{PATH}?watch=true&timeoutSeconds=1").status == 200
