"""Small files that are read and replaced as a whole, in one step: whoever looks sees the old text or the new one.

Containers run as the same user, so any file of ours may have become something else, such as a pipe: opening that would wait
for somebody at its other end, for ever, and with it the event loop. So nothing here waits, nor reads what is no plain file.
"""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress


class NoPlainFileError(OSError):
    """There is a pipe, a link, a folder or a device where a file should be."""


def open_plain(path: str, flags: int = os.O_RDONLY, *, follows_links: bool = False) -> int:
    """Opens a file, or makes it, readable by the user only; NoPlainFileError, at once, when something else is there."""
    link = 0 if follows_links else os.O_NOFOLLOW
    try:
        handle = os.open(path, flags | link | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise _no_plain_file(path) from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _no_plain_file(path)
    os.set_blocking(handle, True)
    return handle


def is_plain(path: str) -> bool:
    """Tells whether a file is there, and no pipe, link, folder or device."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def read_text(path: str) -> str:
    """Returns the text of a file, empty when the file is absent or no plain file."""
    try:
        with open(open_plain(path, follows_links=True), encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, NoPlainFileError):
        return ""


def _opened_draft(draft: str) -> int:
    try:
        return open_plain(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    except NoPlainFileError:
        os.unlink(draft)
        return open_plain(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def _no_plain_file(path: str) -> NoPlainFileError:
    return NoPlainFileError(errno.EINVAL, "it is no plain file", path)


def write_private(path: str, text: str) -> None:
    """Replaces a file in one step, readable by the user only and on disk before this returns."""
    _replace(path, text, is_safe=True)


def change_private(path: str, change: Callable[[str], str]) -> None:
    """Replaces a file by what `change` makes of its text; of several at the same time, each sees what the other wrote."""
    import fcntl  # only who changes something pays for it

    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        before = read_text(path)
        after = change(before)
        if after != before:
            write_private(path, after)
    finally:
        os.close(folder)


def note(path: str, text: str) -> None:
    """Replaces a small file in one step without waiting for the disk: for facts that a reboot makes void anyway."""
    _replace(path, text, is_safe=False)


def _replace(path: str, text: str, *, is_safe: bool) -> None:
    draft, rest = f"{path}.{os.getpid()}.new", text.encode()
    handle = _opened_draft(draft)
    try:
        # A disk that becomes full takes a part first and refuses only the next piece.
        while rest:
            rest = rest[os.write(handle, rest) :]
        if is_safe:
            os.fsync(handle)
        os.replace(draft, path)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(draft)
        raise
    finally:
        os.close(handle)
