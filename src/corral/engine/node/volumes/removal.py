"""Takes away what belonged to one pod alone; paths of the machine, directories of claims and logs stay."""

import errno
import os
import shutil
import stat
import subprocess

from corral.engine.node.folder import NodeFolder
from corral.engine.small_files import note, read_text
from corral.errors import RetryError
from corral.kinds.objects import Object, key_of, uid_of

_MOUNTS = "/proc/self/mountinfo"


def remove(folder: NodeFolder, uid: str) -> None:
    """Removes the volumes and the folder of a pod, without following links; nothing happens when there are none.

    Raises RetryError when they cannot be removed now; in particular while something is mounted in them, for that would be
    emptied as well.
    """
    _refuse_odd(uid, "uid of a pod")
    for part in ("volumes", "subpaths"):
        _remove(os.path.join(folder.pod(uid), part), f"the volumes of pod {uid}")
    _remove(folder.pod(uid), f"the folder of pod {uid}")


def remove_claim(folder: NodeFolder, namespace: str, name: str) -> None:
    """Removes the directory behind a claim that was deleted, and what is in it; raises RetryError as `remove` does."""
    _refuse_odd(namespace, "name of a namespace")
    _refuse_odd(name, "name of a claim")
    _remove(folder.claim(namespace, name), f"the directory of claim {namespace}/{name}")
    owner = folder.claim_owner(namespace, name)
    if os.path.exists(owner):
        os.unlink(owner)


def is_kept_for(folder: NodeFolder, claim: Object) -> bool:
    """Whether the directory of a claim is that of this very claim."""
    return read_text(folder.claim_owner(*key_of(claim))).strip() == uid_of(claim)


def keep_for(folder: NodeFolder, claim: Object) -> None:
    """Notes that the directory of a claim is that of this very claim; what a former one of its name left is removed.

    Ask first whether a pod still uses that.
    """
    namespace, name = key_of(claim)
    owner = folder.claim_owner(namespace, name)
    if read_text(owner).strip():
        remove_claim(folder, namespace, name)
    os.makedirs(os.path.dirname(owner), mode=0o700, exist_ok=True)
    note(owner, uid_of(claim) + "\n")


def _refuse_odd(name: str, what: str) -> None:
    if not name or os.path.basename(name) != name or name in (".", ".."):
        raise ValueError(f"{name!r} is no {what}")


def _remove(place: str, what: str) -> None:
    if not os.path.isdir(place) or os.path.islink(place):
        return
    inside = os.path.realpath(place)
    mounted = [path for path in _mount_points() if path == inside or path.startswith(inside + "/")]
    if mounted:
        message = f"{what} cannot be removed while {mounted[0]} is mounted"
        raise RetryError("volume-in-use", message, hint=f"umount {mounted[0]}")
    try:
        _remove_tree(place)
    except OSError as error:
        message = f"{what} cannot be removed: {error.filename}: {error.strerror}"
        raise RetryError("volume-not-removed", message) from error


def _remove_tree(place: str) -> None:
    try:
        shutil.rmtree(place)
    except (RecursionError, OSError) as error:
        if isinstance(error, RecursionError) or error.errno == errno.ENAMETOOLONG:
            _remove_deep_tree(place)
        elif isinstance(error, PermissionError):
            _remove_closed_tree(place)
        else:
            raise


def _remove_deep_tree(place: str) -> None:
    """Removes folders that are nested more deeply than Python goes."""
    done = subprocess.run(["/bin/rm", "-rf", "--", place], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(errno.EIO, done.stderr.strip()[:200], place)


def _remove_closed_tree(place: str) -> None:
    """Removes folders that a container has closed to writing; they are the user's nevertheless."""
    os.chmod(place, stat.S_IRWXU)
    for where, names, _ in os.walk(place):
        for path in (os.path.join(where, name) for name in names):
            if not os.path.islink(path):
                os.chmod(path, stat.S_IRWXU)
    shutil.rmtree(place)


def _mount_points() -> list[str]:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            fields = [line.split() for line in file]
    except FileNotFoundError:
        return []
    return [_plain(field[4]) for field in fields if len(field) > 4]


def _plain(path: str) -> str:
    """Returns a path of the table of mounts without its escapes, such as `\\040` for a blank."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, character)
    return path
