"""Why a container cannot be started, when it is not its spec that is wrong: the machine, or the API, refuses something.

Messages are the same at each try, so that a pod which waits tells its reason once and not again and again.
"""

import errno
import os

from corral.engine.node.containers.launch import StartRefusedError
from corral.errors import PermanentError

_REMEDIES = {
    errno.ENOSPC: "free some space there; it is tried again by itself",
    errno.EDQUOT: "the user's quota is used up; free some space there; it is tried again by itself",
    errno.EROFS: "the file system can only be read",
    errno.EMFILE: "too many files are open in the node",
    errno.ENFILE: "too many files are open on this machine",
    errno.EAGAIN: "there are too many processes; end some, or raise the limit (ulimit -u)",
    errno.ENOMEM: "there is too little memory; end some programs",
}


def refused_by_machine(error: OSError, folder: str) -> StartRefusedError:
    """Returns the refusal for something that the operating system did not let the node do in its folder."""
    place = _place(error, folder)
    what = f"the node cannot start it: {error.strerror or error}"
    if error.errno in (errno.EAGAIN, errno.ENOMEM):
        place = ""
    remedy = _REMEDIES.get(error.errno or 0, "")
    return StartRefusedError("CreateContainerError", "; ".join(filter(None, (f"{what}{place}", remedy))))


def refused_by_api(error: PermanentError) -> StartRefusedError:
    """Returns the refusal for an object that the API does not give to this node."""
    return StartRefusedError("CreateContainerConfigError", f"the API refuses what the container needs: {error.message}")


def _place(error: OSError, folder: str) -> str:
    """Returns the folder that something is wrong with; drafts have names that change from try to try."""
    name = error.filename
    path = os.fsdecode(name) if isinstance(name, str | bytes) else folder
    return f" ({os.path.dirname(path) if path.endswith('.new') else path})"
