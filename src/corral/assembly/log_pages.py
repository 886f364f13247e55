"""Pages with the logs of a job: at the API of this machine, or served by the command itself."""

import time
from collections.abc import Callable, Iterator

from corral.engine.supervisor.home import default_home
from corral.errors import PermanentError


def signed_log_link(namespace: str, job: str, seconds: int) -> str:
    """Returns the address of the page with the logs of a job at the embedded API; it works for so many seconds."""
    from corral.assembly.this_machine import embedded_access
    from corral.kinds.log_links import LogLink

    token = default_home().token()
    if not token:
        raise PermanentError("not-running", "Corral has no token on this machine", hint="`corral up` makes one")
    link = LogLink(namespace, job, int(time.time()) + seconds)
    return embedded_access().server + link.signed(token)


def serve_log_page(content: Callable[[], Iterator[bytes]], on_ready: Callable[[str], None]) -> None:
    """Serves a page on this machine until interrupted; `on_ready` is told its address."""
    from corral.adapters.log_page.server import serve_text

    serve_text(content, on_ready)
