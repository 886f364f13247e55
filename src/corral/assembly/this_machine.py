"""The embedded cluster of this machine as commands meet it: whether it runs, and how to reach it. Nearly every command asks."""

import os
from typing import TYPE_CHECKING

from corral.engine.supervisor.home import default_home
from corral.engine.supervisor.presence import is_present
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.access import Access


def is_running() -> bool:
    """Whether a supervisor is at work."""
    home = default_home()
    examine(home)
    with refusals_told(home):
        return is_present(home)


def embedded_access() -> "Access":
    """Returns how a client reaches the embedded API; it must have been started once."""
    from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig

    refuse_missing_kubeconfig()
    return access_of(read_kubeconfig([kubeconfig_path()]), "corral", os.environ)


def kubeconfig_path() -> str:
    """Returns the path of the embedded cluster's kubeconfig, whether it is there or not."""
    return default_home().kubeconfig


def refuse_missing_kubeconfig() -> None:
    """Raises when the kubeconfig is not there yet, or no more."""
    home = default_home()
    examine(home)
    if not os.path.exists(home.kubeconfig):
        raise PermanentError("not-set-up", f"there is no kubeconfig in {home.root}", hint="run `corral up` first")
