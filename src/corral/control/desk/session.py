"""The API that a command talks to, as its use cases see it."""

from typing import NamedTuple

from corral.ports.direct_store import DirectStore, StoreOpener


class Session(NamedTuple):
    """One command's view of one API."""

    store: DirectStore
    namespace: str
    """Where names are looked up when nothing else is said."""
    target: str
    """Which API this is and who chose it, for the line that a writing command begins with."""
    open_store: StoreOpener
