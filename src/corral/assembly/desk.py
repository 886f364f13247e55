"""The session with the chosen API that commands about jobs work in."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from corral.assembly.access import access_to, choose
from corral.assembly.settings import read_settings
from corral.assembly.this_machine import is_running
from corral.engine.supervisor.home import default_home
from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.control.desk.session import Session
    from corral.ports.kept_logs import KeptLog
    from corral.ports.remote_commands import RemoteCommand, RunningCommand


def open_session(
    context: str = "",
    namespace: str = "",
    *,
    kubeconfig: str = "",
    on_start: Callable[[str], None],
    on_request: Callable[[str], None] | None = None,
    start: bool = True,
) -> "Session":
    """Returns the API that a command talks to; the embedded one is started when it does not run, unless told not to.

    `on_start` is told what was started, so that nobody wonders later where it came from, and `on_request` a line about
    each request.
    """
    from corral.adapters.kubernetes.retrying import PATIENT, RetryPolicy
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.control.desk.session import Session
    from corral.ports.kept_logs import nothing_kept

    chosen = choose(read_settings(kubeconfig=kubeconfig, context=context, namespace=namespace))
    is_embedded = chosen.target.where == "embedded"
    if is_embedded and start:
        _start_if_needed(on_start)
    elif is_embedded:
        _refuse_stopped()
    access, name = access_to(chosen)
    # A killed API server of ours is back within a second or two; another one is not ours to wait for.
    policy = RetryPolicy(attempts=10) if is_embedded else PATIENT

    def open_store() -> SyncClient:
        return SyncClient(access, policy=policy, trace=on_request)

    def start_command(command: "RemoteCommand") -> "RunningCommand":
        from corral.adapters.kubernetes.remote_commands import WebSocketCommand  # brings aiohttp, which few need

        return WebSocketCommand(access, policy, command)

    kept = _kept_logs if is_embedded else nothing_kept
    return Session(
        open_store(),
        chosen.namespace(access.namespace),
        name,
        open_store,
        kept,
        is_embedded,
        start_command,
        access.user or access.username or ("corral" if is_embedded else ""),
    )


def open_glance(seconds: float, **flags: str) -> "Session | None":
    """Returns the API for a quick look that must not take long nor start anything; None when there is none to look at."""
    from corral.adapters.kubernetes.access import Timeouts
    from corral.adapters.kubernetes.retrying import NEVER
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.control.desk.session import Session

    chosen = choose(read_settings(**flags))
    if chosen.target.where == "embedded" and not is_running():
        return None
    access, name = access_to(chosen)

    def open_store() -> SyncClient:
        return SyncClient(access, policy=NEVER, timeouts=Timeouts(connect=seconds, answer=seconds))

    is_embedded = chosen.target.where == "embedded"
    return Session(open_store(), chosen.namespace(access.namespace), name, open_store, is_embedded=is_embedded)


def _kept_logs(namespace: str, name: str) -> "list[KeptLog]":
    """Returns the logs that the process node of this machine has kept of a job or a pod."""
    from functools import partial

    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.logs.archive import kept_runs
    from corral.engine.node.logs.kept_text import read_kept
    from corral.ports.kept_logs import KeptLog

    found = kept_runs(NodeFolder(default_home().node).logs, namespace, name)
    return [
        KeptLog(
            one.pod.name,
            one.pod.uid,
            one.pod.labels,
            one.container,
            one.log.run,
            one.last_said,
            partial(read_kept, one.log),
        )
        for one in found
    ]


def _start_if_needed(on_start: Callable[[str], None]) -> None:
    """Starts the embedded cluster; one that runs is left as it is, whatever it was started with."""
    if not is_running():
        from corral.assembly.embedded import start_embedded

        up = start_embedded(on_wait=on_start, only_if_down=True)
        if up.was_running:
            return
        on_start(f"started Corral on this machine in {up.seconds * 1000:.0f} ms ({up.address}); `corral down` stops it")
        for note in up.notes:
            on_start(f"note: {note}")


def _refuse_stopped() -> None:
    if not is_running():
        raise PermanentError("not-running", "Corral does not run on this machine", hint="`corral up` starts it")
