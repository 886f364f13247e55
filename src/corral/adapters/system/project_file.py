"""The file of settings of a project: in the folder of the command, or in one above it."""

import os
import stat
from typing import Final, NamedTuple

from corral.errors import PermanentError

NAME: Final = ".corral.yaml"
LONGEST: Final = 64 * 1024
"""Bytes; settings are a few lines."""


class FoundFile(NamedTuple):
    """A file of settings and what stands in it."""

    path: str
    text: str


def project_file(folder: str, user: int, stop_at: str = "") -> FoundFile | None:
    """Returns the nearest file at or above a folder; above `stop_at`, the home folder of the user, nobody looks.

    One that belongs neither to the user nor to root does not count: in a shared folder anybody could leave one.
    """
    while True:
        path = os.path.join(folder, NAME)
        if (text := _own_text(path, user)) is not None:
            return FoundFile(path, text)
        above = os.path.dirname(folder)
        if above == folder or folder == stop_at:
            return None
        folder = above


def _own_text(path: str, user: int) -> str | None:
    try:
        found = os.stat(path)
    except OSError:
        return None  # it is not there, or in a folder that nobody may look into
    if not stat.S_ISREG(found.st_mode) or found.st_uid not in (user, 0):
        return None
    try:
        with open(path, "rb") as file:
            return file.read(LONGEST).decode("utf-8", "replace")
    except OSError as error:
        raise PermanentError("unreadable-file", f"{path} cannot be read: {error.strerror}") from error
