"""Reading the code of a run from a folder: what is in it, and the modules of its own that a script imports."""

import os
from collections.abc import Iterator

from corral.errors import PermanentError
from corral.kinds.submission.code_bundle import CodeBundle, SeenFile, bundled, is_code_folder

MOST_ENTRIES = 20_000
"""How many files are looked at before a folder is taken for something else than a folder of code."""
_LARGEST_MODULE = 1024 * 1024


def bundle_of_folder(folder: str) -> CodeBundle:
    """Returns the code of a folder; raises when there is too much of it or it cannot be read."""
    return bundled(_seen(folder), lambda path: read_file(os.path.join(folder, path)))


def read_file(path: str, most: int = -1) -> bytes:
    """Returns the content of a file; one that cannot be read is the user's to repair."""
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise PermanentError("unreadable-file", f"{path} cannot be read: {error.strerror}") from error


def own_module(folder: str, name: str) -> str | None:
    """Returns the text of a module of the folder, by its dotted name; None when it is not there or cannot be read."""
    path = os.path.join(folder, *name.split("."))
    for place in (f"{path}.py", os.path.join(path, "__init__.py")):
        try:
            with open(place, "rb") as file:
                return file.read(_LARGEST_MODULE).decode(errors="replace")
        except OSError:
            continue
    return None


def _seen(folder: str) -> Iterator[SeenFile]:
    count = 0
    for place, folders, names in os.walk(folder, onerror=_refuse):
        inside = os.path.relpath(place, folder)
        folders[:] = sorted(one for one in folders if is_code_folder(one) and not _is_environment(place, one))
        for name in names:
            path = os.path.join(place, name)
            count += 1
            if count > MOST_ENTRIES:
                message = f"{folder} has more than {MOST_ENTRIES} files"
                raise PermanentError("code-too-large", message, hint="put the script into a folder of its own")
            if os.path.isfile(path):
                yield SeenFile(name if inside == "." else f"{inside}/{name}".replace(os.sep, "/"), _size(path))


def _is_environment(place: str, name: str) -> bool:
    """Whether a folder is a virtual environment, whatever it is called."""
    return os.path.exists(os.path.join(place, name, "pyvenv.cfg"))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:
        raise PermanentError("unreadable-file", f"{path} cannot be read: {error.strerror}") from error


def _refuse(error: OSError) -> None:
    raise PermanentError("unreadable-file", f"{error.filename} cannot be read: {error.strerror}") from error
