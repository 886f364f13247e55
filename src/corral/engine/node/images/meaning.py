"""What a container runs, from its image, command and args and from what users have said about images."""

import os.path
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.images.built_in import BUILT_IN
from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.images.matching import chosen

_is_python = re.compile(r"(?:/usr/bin/|/usr/local/bin/|/bin/|/opt/conda/bin/)?python(?:3(?:\.\d+)?)?").fullmatch


class Meaning(NamedTuple):
    """What a container runs on this machine."""

    argv: tuple[str, ...]
    workdir: str = ""
    """Empty when neither the container nor its image says one."""
    env: Mapping[str, str] = {}
    """The variables of the image; those of the container win."""
    python: str = ""
    environment: str = ""
    pattern: str = ""
    """The pattern of the mapping that counted, for people."""
    files: Mapping[str, str] = {}
    """Files and folders of this machine, by the path at which the container sees them."""

    def dressed(self, env: Mapping[str, str]) -> dict[str, str]:
        """Returns a finished environment with the programs of the image's Python found first."""
        if not self.python:
            return dict(env)
        changed = {name: value for name, value in env.items() if name not in ("PYTHONHOME", "VIRTUAL_ENV")}
        places = [os.path.dirname(self.python), *filter(None, changed.get("PATH", "").split(os.pathsep))]
        changed["PATH"] = os.pathsep.join(dict.fromkeys(places))
        if self.environment:
            changed["VIRTUAL_ENV"] = self.environment
        return changed


def resolve(
    image: str, command: Sequence[str], args: Sequence[str], workdir: str, mappings: Iterable[ImageMapping]
) -> Meaning:
    """Returns what a container runs; raises StartRefusedError when nobody has said what that is.

    The command of the container stands for the entry point of the image, and its args for what follows it. Variables in
    both are in place already.
    """
    mapping = chosen(image, (*BUILT_IN, *mappings)) or ImageMapping(pattern="")
    entry = tuple(command) or mapping.command
    if not entry:
        raise StartRefusedError("CreateContainerConfigError", _question(image, mapping))
    argv = (*entry, *args)
    if mapping.python and _is_python(argv[0]):
        argv = (mapping.python, *argv[1:])
    return Meaning(
        argv,
        workdir or mapping.workdir,
        mapping.env,
        mapping.python,
        mapping.environment,
        mapping.pattern,
        mapping.files,
    )


def line_to_type(mapping: ImageMapping) -> str:
    """Returns the command line that says what a mapping says, with a place to fill in where it has no command."""
    words = ["corral image map", shlex.quote(mapping.pattern)]
    if mapping.python:
        words += ["--python", shlex.quote(mapping.environment or mapping.python)]
    if mapping.workdir:
        words += ["--workdir", shlex.quote(mapping.workdir)]
    words += [f"--env {shlex.quote(f'{name}={value}')}" for name, value in mapping.env.items()]
    words += [f"--file {shlex.quote(f'{source}:{path}')}" for path, source in mapping.files.items()]
    words += ["--command", shlex.quote(shlex.join(mapping.command)) if mapping.command else "'PROGRAM ARGUMENT...'"]
    return " ".join(words)


def _question(image: str, mapping: ImageMapping) -> str:
    said = mapping if mapping.pattern else ImageMapping(pattern=image)
    what = f'image "{image}" has no entry point on this machine, and the container gives no command'
    return f"{what}; say what it runs: {line_to_type(said)}"
