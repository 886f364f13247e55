"""The last words that a program writes into a file of its own: `terminationMessagePath`.

Each run has such a file in its folder, and sees it at its path. The path has a default in `/dev`, which hardly anybody uses, and
a mount there puts together a whole `/dev` of the container's own. So the file is mounted only for a container that has another
path, or that names the path in its command or its variables.
"""

import os
from collections.abc import Iterable, Sequence

from corral.engine.node.containers.launch import Mount
from corral.engine.small_files import NoPlainFileError, open_plain
from corral.kinds.objects import Object

DEFAULT_PATH = "/dev/termination-log"
MOST_BYTES = 4096
"""What of it is told: its end, as in kubelet."""


def message_file(folder: str) -> str:
    """Returns the file in the folder of a run."""
    return os.path.join(folder, "termination-message")


def message_mount(container: Object, folder: str, mounts: Sequence[Mount], texts: Iterable[str]) -> Mount | None:
    """Returns where a run sees its file, None when it need not see it; `texts` are its command and its variables."""
    path = os.path.normpath("/" + str(container.get("terminationMessagePath") or DEFAULT_PATH).lstrip("/"))
    if path == "/" or any(mount.path == path for mount in mounts):
        return None
    is_wanted = path != DEFAULT_PATH or any(path in text for text in texts)
    return Mount(message_file(folder), path) if is_wanted else None


def make_message_file(mount: Mount) -> None:
    """Makes the file, so that it can be mounted; what a first try of the same run made is kept."""
    os.makedirs(os.path.dirname(mount.source), mode=0o700, exist_ok=True)
    os.close(open_plain(mount.source, os.O_WRONLY | os.O_CREAT))


def message_of(folder: str) -> str:
    """Returns what a run has written, at most the last part of it; nothing when it has no such file.

    Where nothing can be mounted the program knows the path itself, and may put anything there.
    """
    try:
        handle = open_plain(message_file(folder))
    except (FileNotFoundError, NoPlainFileError):
        return ""
    try:
        size = os.fstat(handle).st_size
        return os.pread(handle, MOST_BYTES, max(0, size - MOST_BYTES)).decode("utf-8", "replace")
    finally:
        os.close(handle)
