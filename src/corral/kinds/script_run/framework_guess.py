"""Which framework a script is for, by what it imports. Nothing of it is run.

A script may leave the framework to its own modules (`from model import Net`), so these are looked into as well when the
script itself says nothing. Where several frameworks are imported, a known habit decides: scripts of Horovod and mpi4py use
another framework inside, and scripts of JAX load their data with TensorFlow's or PyTorch's tools.
"""

import ast
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from corral.errors import PermanentError
from corral.kinds.script_run.frameworks import FRAMEWORKS, JAX, MPI, Framework

MOST_MODULES: Final = 200
"""How many modules of the script's own folder are looked into."""

ReadModule = Callable[[str], str | None]
"""Returns the text of a module of the script's folder, by its dotted name; None when there is none."""


class Guess(NamedTuple):
    """What the imports of a script say."""

    candidates: tuple[Framework, ...]
    """The framework; none when no import is known, several when they do not say which."""
    modules: frozenset[str]
    """The packages that are imported, by their first name."""

    @property
    def framework(self) -> Framework | None:
        """Returns the framework, None when it is not clear."""
        return self.candidates[0] if len(self.candidates) == 1 else None


def guessed(text: str, source: str, read_module: ReadModule) -> Guess:
    """Returns what a script is for; a text that is no Python is refused with its line."""
    try:
        imports = set(_imports(text))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{source}, line {line}" if line else source
        why = getattr(error, "msg", None) or str(error)
        hint = "--framework says what it is for without looking into it"
        raise PermanentError("bad-script", f"{place}: this is no Python: {why}", hint=hint) from error
    found = _candidates(imports)
    seen: set[str] = set()
    waiting = sorted(imports)
    while not found and waiting and len(seen) < MOST_MODULES:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        own = read_module(name)
        if own is not None:
            more = set(_readable_imports(own))
            imports |= more
            found = _candidates(imports)
            waiting += sorted(more - seen)
    return Guess(found, frozenset(name.partition(".")[0] for name in imports))


def _candidates(imports: set[str]) -> tuple[Framework, ...]:
    packages = {name.partition(".")[0] for name in imports}
    found = tuple(one for one in FRAMEWORKS if one.modules & packages)
    for habit in (MPI, JAX):
        if habit in found:
            return (habit,)
    return found


def _readable_imports(text: str) -> Iterator[str]:
    """Yields the imports of a module that may be broken: the script that needs it will say so itself."""
    try:
        yield from _imports(text)
    except (SyntaxError, ValueError):
        return


def _imports(text: str) -> Iterator[str]:
    """Yields the dotted names that a text imports, wherever in it; a relative one as a module of the same folder."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                yield node.module
            # `from . import model` and `from package import model` may name modules.
            head = f"{node.module}." if node.module else ""
            yield from (head + alias.name for alias in node.names if alias.name != "*")
