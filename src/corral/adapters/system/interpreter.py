"""The Python with which somebody would run a script by hand, and the programs next to it."""

import os
import shutil
from collections.abc import Mapping

from corral.errors import PermanentError


def python_of(environment: Mapping[str, str]) -> str:
    """Returns the interpreter of the active virtual environment, else the one on PATH."""
    folder = environment.get("VIRTUAL_ENV", "")
    if folder:
        found = _program_in(os.path.join(folder, "bin"), ("python", "python3"))
        if not found:
            message = f"the active environment {folder} (VIRTUAL_ENV) has no python"
            raise PermanentError("no-python", message, hint="`deactivate` it, or make it again")
        return found
    found = _on_path(environment, ("python3", "python"))
    if not found:
        raise PermanentError(
            "no-python", "there is no python on PATH", hint="activate an environment, or give --python"
        )
    return found


def python_at(path: str) -> str:
    """Returns the interpreter that a path means: a program, or the folder of an environment."""
    place = os.path.abspath(os.path.expanduser(path))
    found = _program_in(os.path.join(place, "bin"), ("python", "python3")) if os.path.isdir(place) else place
    if not found or not os.access(found, os.X_OK):
        raise PermanentError("no-python", f"{path} is neither a python nor an environment with one")
    return found


def program_beside(python: str, name: str, environment: Mapping[str, str]) -> str:
    """Returns a program of the interpreter's own environment, else the one on PATH, else its bare name."""
    return _program_in(os.path.dirname(python), (name,)) or _on_path(environment, (name,)) or name


def _program_in(folder: str, names: tuple[str, ...]) -> str:
    return next((place for name in names if os.access(place := os.path.join(folder, name), os.X_OK)), "")


def _on_path(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    path = environment.get("PATH", os.defpath)
    return next((os.path.abspath(found) for name in names if (found := shutil.which(name, path=path))), "")
