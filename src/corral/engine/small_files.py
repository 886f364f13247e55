"""Small files that are read and replaced as a whole, in one step: whoever looks sees the old text or the new one."""

import os
from collections.abc import Callable
from contextlib import suppress


def read_text(path: str) -> str:
    """Returns the text of a file, empty when the file is absent."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


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
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
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
