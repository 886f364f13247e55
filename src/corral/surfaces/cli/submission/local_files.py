"""`--config-file`: files from here that travel with a job."""

import os

from corral.kinds.submission.faults import MOST_FILES
from corral.kinds.submission.spelling import shown
from corral.kinds.submission.submission import LocalFile


def local_file(text: str) -> LocalFile:
    """Returns the file of `FILE` or `FILE:PATH`; without a path it is seen where it is here."""
    name, sign, path = text.partition(":")
    if not name or (sign and not path) or ":" in path:
        raise ValueError(f"{shown(text)} is not of the form FILE or FILE:/PATH")
    if sign and not path.startswith("/"):
        raise ValueError(f"{shown(path)} is not absolute: it must begin with /")
    source = os.path.abspath(os.path.expanduser(name))
    try:
        with open(source, "rb") as file:
            content = file.read(MOST_FILES + 1)
    except OSError as error:
        raise ValueError(f"{shown(name)} cannot be read: {error.strerror}") from error
    return LocalFile(path or source, content)
