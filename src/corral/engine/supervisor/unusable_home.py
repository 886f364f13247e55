"""What the operating system refuses below a home, told as an error with a way out instead of a traceback."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from corral.engine.supervisor.home import Home
from corral.errors import PermanentError

ROOM = "make room on that disk, then run the same command again"
WAYS_OUT = {
    errno.ENOSPC: ROOM,
    errno.EDQUOT: ROOM,
    errno.EROFS: "that file system is read-only: set CORRAL_HOME to a folder that can be written",
    errno.EACCES: "make it yours (`corral doctor` names what is wrong), or set CORRAL_HOME to a folder of your own",
    errno.EPERM: "make it yours (`corral doctor` names what is wrong), or set CORRAL_HOME to a folder of your own",
}
OTHERWISE = "set CORRAL_HOME to a folder that exists or can be made"


class UnusableHomeError(PermanentError):
    """The operating system refuses a file or folder of the home."""

    def __init__(self, root: str, reason: str, hint: str) -> None:
        super().__init__("home-unusable", f"the home {root} cannot be used: {reason}", hint=hint)


@contextmanager
def refusals_told(home: Home) -> Iterator[None]:
    """Turns every refusal of the operating system inside the block into an `UnusableHomeError`."""
    try:
        yield
    except OSError as error:
        raise UnusableHomeError(home.root, reason(error, home.root), way_out(error)) from error


def examine(home: Home) -> None:
    """Raises when what stands at the root of a home is no folder, or cannot be looked at; an absent one is good."""
    with refusals_told(home):
        try:
            mode = os.stat(home.root).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), home.root)


def reason(error: OSError, known: str = "") -> str:
    """Returns what was refused, for people; the path is left out when it is the one that they know already."""
    text = error.strerror or str(error)
    return f"{text} ({_short(str(error.filename))})" if error.filename and error.filename != known else text


def way_out(error: OSError) -> str:
    """Returns what to do about a refusal."""
    return WAYS_OUT.get(error.errno or 0, OTHERWISE)


def _short(path: str) -> str:
    return path if len(path) <= 120 else f"{path[:60]}...{path[-40:]}"
