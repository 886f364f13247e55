"""What `corral image` does: checks what was said, and keeps it."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.images.register import ImageRegister
from corral.errors import PermanentError

_INTERPRETERS = ("bin/python", "bin/python3")


class Said(NamedTuple):
    """The words of one `corral image map`, as they were typed."""

    pattern: str
    python: str = ""
    command: tuple[str, ...] = ()
    """One text that is split as a shell would, or several words, which are taken as they are."""
    workdir: str = ""
    env: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Mapped(NamedTuple):
    """What `map` has done."""

    was_there: bool
    mapping: ImageMapping


class ImageOrders:
    """The uses of the command line, on one register."""

    def __init__(self, register: ImageRegister) -> None:
        self.path = register.path
        self._register = register

    def map(self, pattern: str, **said: Any) -> Mapped:
        """Keeps a mapping, in place of one with the same pattern; the words are those of `Said`, as they were typed."""
        mapping = understood(Said(pattern, **said))
        with _refusals_told():
            return Mapped(self._register.put(mapping), mapping)

    def unmap(self, pattern: str) -> None:
        """Removes the mapping of a pattern; raises when there is none."""
        with _refusals_told():
            was_there = self._register.drop(pattern)
        if not was_there:
            hint = "`corral image list` shows the patterns"
            raise PermanentError("unknown-image-pattern", f"no image is mapped by {shlex.quote(pattern)}", hint=hint)

    def mappings(self) -> tuple[ImageMapping, ...]:
        """Returns the mappings in the order in which they were made."""
        with _refusals_told():
            return self._register.mappings()


def understood(said: Said) -> ImageMapping:
    """Returns the mapping with absolute paths; raises when something in it is not there or makes no sense."""
    pattern = said.pattern.strip()
    if not pattern:
        raise PermanentError("bad-image-mapping", "the pattern is empty", hint="`'*'` stands for every image")
    python, environment = _interpreter(said.python) if said.python else ("", "")
    mapping = ImageMapping(
        pattern=pattern,
        python=python,
        environment=environment,
        command=_command(said),
        workdir=_folder(said.workdir) if said.workdir else "",
        env=dict(_variable(text) for text in said.env),
        files=dict(_file(text) for text in said.files),
    )
    if mapping == ImageMapping(pattern=pattern):
        hint = "give --python VENV, --command PROGRAM, --workdir FOLDER, --env NAME=VALUE or --file SOURCE:PATH"
        raise PermanentError("bad-image-mapping", f"nothing is said about {shlex.quote(pattern)}", hint=hint)
    return mapping


def _interpreter(given: str) -> tuple[str, str]:
    """Returns the interpreter and its virtual environment, which may be none."""
    # Symbolic links stay: the interpreter of a virtual environment is one, and knows its environment by its own path.
    path = os.path.abspath(os.path.expanduser(given))
    if not os.path.exists(path):
        hint = f"make it first: python3 -m venv {shlex.quote(given)}"
        raise PermanentError("no-such-python", f"there is no Python environment at {path}", hint=hint)
    if os.path.isdir(path):
        for interpreter in _INTERPRETERS:
            if _is_program(os.path.join(path, interpreter)):
                return os.path.join(path, interpreter), path
        hint = "name the folder of a virtual environment, or a python program"
        raise PermanentError("no-such-python", f"{path} has no bin/python that can be run", hint=hint)
    if not _is_program(path):
        hint = "name the folder of a virtual environment, or a python program"
        raise PermanentError("no-such-python", f"{path} is no program that can be run", hint=hint)
    folder = os.path.dirname(os.path.dirname(path))
    return path, folder if os.path.exists(os.path.join(folder, "pyvenv.cfg")) else ""


def _command(said: Said) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(said.command[0])) if len(said.command) == 1 else said.command
    except ValueError as error:
        hint = "quotes in a command must be closed"
        raise PermanentError("bad-image-mapping", f"--command: {error}", hint=hint) from error
    if said.workdir:
        return words
    return tuple(os.path.abspath(word) if _is_here(word) else word for word in words)


def _is_here(word: str) -> bool:
    """Whether a word of a command names a file that is meant from the folder in which the command was typed."""
    return not os.path.isabs(word) and os.path.isfile(word) and ("/" in word or "." in word)


def _folder(given: str) -> str:
    path = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(path):
        hint = "name a folder that exists; containers of the image run in it"
        raise PermanentError("no-such-folder", f"the folder {path} is not there", hint=hint)
    return path


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise PermanentError("bad-image-mapping", f"--env {text} is no NAME=VALUE", hint="write --env NAME=VALUE")
    return name, value


def _file(text: str) -> tuple[str, str]:
    """Returns the path in the image, and what stands for it here."""
    source, colon, path = text.rpartition(":")
    if not colon or not source or not os.path.isabs(path):
        hint = "write --file SOURCE:PATH, a file or folder of this machine and an absolute path in the image"
        raise PermanentError("bad-image-mapping", f"--file {text} is no SOURCE:PATH", hint=hint)
    here = os.path.abspath(os.path.expanduser(source))
    if not os.path.exists(here):
        raise PermanentError("no-such-file", f"{here} is not there", hint="name a file or folder of this machine")
    return os.path.normpath(path), here


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Turns what the file or the system refuses into an error with a way out."""
    try:
        yield
    except StartRefusedError as error:
        hint = "repair that file, or remove it and map again"
        raise PermanentError("image-map-unreadable", error.message, hint=hint) from error
    except OSError as error:
        hint = "make it yours, or set CORRAL_HOME to a folder that can be written"
        raise PermanentError("home-unusable", f"{error.filename}: {error.strerror}", hint=hint) from error
