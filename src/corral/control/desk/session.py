"""The API that a command talks to, as its use cases see it."""

from typing import NamedTuple

from corral.ports.direct_store import DirectStore, StoreOpener
from corral.ports.kept_logs import KeptLogs, nothing_kept
from corral.ports.remote_commands import CommandStarter, no_commands


class Session(NamedTuple):
    """One command's view of one API."""

    store: DirectStore
    namespace: str
    """Where names are looked up when nothing else is said."""
    target: str
    """Which API this is and who chose it, for the line that a writing command begins with."""
    open_store: StoreOpener
    kept: KeptLogs = nothing_kept
    """Logs of pods that are gone."""
    is_embedded: bool = False
    """Whether it is the API of this machine."""
    start_command: CommandStarter = no_commands
    """Runs commands in containers."""
    user: str = ""
    """Who we are, by the settings with which we came."""
