"""Writes the files of a volume such that a reader sees all of the old ones or all of the new ones, as kubelet does.

    VOLUME/..x7k2/KEY       the files
    VOLUME/..data -> ..x7k2 which of them count; replaced in one step
    VOLUME/KEY -> ..data/KEY

Nothing is written when the files are as they should be, so that calling it again is cheap and wakes no watcher.
"""

import os
import shutil
import stat
import tempfile

from corral.engine.node.volumes.payload import File, Payload
from corral.engine.small_files import open_plain

_DATA = "..data"
_DRAFT = "..data_tmp"


def write_files(folder: str, files: Payload) -> bool:
    """Makes the folder have exactly these files; tells whether anything had to change."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if _is_as_wanted(folder, files):
        return False
    made = tempfile.mkdtemp(prefix="..", dir=folder)
    for path, file in files.items():
        _write(os.path.join(made, path), file)
    _link(folder, os.path.basename(made), _DATA)
    for name in _shown(files):
        _link(folder, f"{_DATA}/{name}", name)
    _clear(folder, {_DATA, os.path.basename(made), *_shown(files)})
    return True


def _is_as_wanted(folder: str, files: Payload) -> bool:
    try:
        current = os.path.basename(os.readlink(os.path.join(folder, _DATA)))
        return _held(os.path.join(folder, current)) == files and _is_shown(folder, files)
    except OSError:
        # Not written yet, cut short, tampered with, or with a mode that keeps out the user as well: written anew.
        return False


def _shown(files: Payload) -> set[str]:
    return {path.partition("/")[0] for path in files}


def _is_shown(folder: str, files: Payload) -> bool:
    shown = {entry.name for entry in os.scandir(folder) if not entry.name.startswith("..") and entry.is_symlink()}
    return shown == _shown(files)


def _held(folder: str) -> Payload:
    """Returns the files below a folder as they are on disk."""
    found = Payload()
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(open_plain(path), "rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                found[os.path.relpath(path, folder)] = File(file.read(), mode)
    return found


def _write(path: str, file: File) -> None:
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as written:
        written.write(file.content)
        # The user's mask must not count, and a file that nobody may write is written first.
        os.fchmod(handle, file.mode)


def _link(folder: str, target: str, name: str) -> None:
    place, draft = os.path.join(folder, name), os.path.join(folder, _DRAFT)
    if os.path.islink(place) and os.readlink(place) == target:
        return
    if os.path.lexists(draft):
        os.unlink(draft)
    os.symlink(target, draft)
    os.replace(draft, place)


def _clear(folder: str, wanted: set[str]) -> None:
    """Removes what an earlier state, or a write that was cut short, has left."""
    for entry in os.scandir(folder):
        if entry.name in wanted:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
