"""Which modules are the user's own, and so go along with a function; those of the standard library and of packages do not."""

import ast
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from types import ModuleType

from corral.errors import PermanentError
from corral.kinds.submission.code_bundle import CodeFile

_MOST_MODULES = 400


def is_own(module: ModuleType) -> bool:
    """Whether a module comes from a file of the user, and not from an installed package."""
    path = file_of(module)
    if not path or module.__name__.partition(".")[0] == "corral":
        return False
    return not any(path.startswith(place + os.sep) for place in _installed())


def file_of(module: ModuleType) -> str:
    """Returns the path of a module's source, "" when it has none."""
    path = getattr(module, "__file__", None) or ""
    return os.path.realpath(path) if path.endswith(".py") and os.path.exists(path) else ""


def _installed() -> set[str]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(name) for name in names] + [place for place in sys.path if "-packages" in place]
    return {os.path.realpath(place) for place in places if place}


def files_of(modules: Iterable[ModuleType]) -> list[CodeFile]:
    """Returns the files of modules and of all own ones that they import, by the paths at which Python finds them."""
    waiting, found = list(modules), dict[str, CodeFile]()
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module.__name__ in seen:
            continue
        if len(seen) == _MOST_MODULES:
            hint = "build an image that has them, or import less"
            message = f"the function needs more than {_MOST_MODULES} modules of yours, too many to send along"
            raise PermanentError("bad-function", message, hint=hint)
        seen.add(module.__name__)
        file = _file(module)
        found[file.path] = file
        waiting += [one for name in (*_parents(module.__name__), *_imports(module, file.text)) if (one := _own(name))]
    return list(found.values())


def _file(module: ModuleType) -> CodeFile:
    path = file_of(module)
    if not path:
        hint = "modules that are compiled or made at run time must be in the image"
        raise PermanentError(
            "bad-function", f"the module {module.__name__} has no source that could be sent", hint=hint
        )
    place = module.__name__.replace(".", "/")
    is_package = os.path.basename(path) == "__init__.py"
    with open(path, encoding="utf-8") as file:
        return CodeFile(f"{place}/__init__.py" if is_package else f"{place}.py", file.read())


def _own(name: str) -> ModuleType | None:
    module = sys.modules.get(name)
    return module if module is not None and is_own(module) else None


def _parents(name: str) -> Iterator[str]:
    head = name.rpartition(".")[0]
    while head:
        yield head
        head = head.rpartition(".")[0]


def _imports(module: ModuleType, text: str) -> Iterator[str]:
    """Yields the full names of what a module imports, as far as its text tells."""
    package = module.__package__ or ""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            head = ".".join(part for part in (base, node.module or "") if part)
            yield head
            yield from (f"{head}.{alias.name}" for alias in node.names)
