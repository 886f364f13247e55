"""From a function to the files that each of its ranks is given.

A function of a module that can be imported is sent with that module, and with the modules of one's own which that imports. One
of a notebook, of a terminal or of the script that runs is sent by its own source, and with what it takes from around it: imports
by name, other such functions by their source, and plain values as JSON. Its script must not be run again in each rank: it
would submit the job once more.
"""

import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from corral.errors import PermanentError
from corral.kinds.script_run.function_names import as_run, names_used
from corral.kinds.submission.code_bundle import CodeBundle, CodeFile, refuse_too_much
from corral.surfaces.sdk.functions.json_values import faults_in
from corral.surfaces.sdk.functions.own_modules import files_of, is_own

PROGRAM = "corral_rank.py"
_CALL = "corral_call.json"
_SOURCE = "corral_function.py"


class Call(NamedTuple):
    """A function and what it is called with."""

    function: Callable[..., Any]
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = {}
    modules: Sequence[ModuleType] = ()
    """Further modules that go along: those that are imported by name at run time."""


class Packed(NamedTuple):
    """The files of a call, and the source that tells which framework it is for."""

    name: str
    bundle: CodeBundle
    source: str


def packed(call: Call) -> Packed:
    """Returns the files of a call; what cannot be sent is refused, all of it at once where that can be."""
    function = _plain(call.function)
    _refuse_arguments(call)
    if _is_importable(call.function, function):
        module = sys.modules[function.__module__]
        said: dict[str, Any] = {"module": module.__name__, "function": function.__name__, "source": ""}
        return _bundle(call, function, said, [], [module])
    surroundings = _Surroundings(function)
    source = CodeFile(_SOURCE, as_run("\n\n".join(surroundings.sources)))
    said = {
        "module": _SOURCE.removesuffix(".py"),
        "function": function.__name__,
        "source": _SOURCE,
        "imports": surroundings.imports,
        "constants": surroundings.constants,
    }
    return _bundle(call, function, said, [source], surroundings.modules)


def _bundle(
    call: Call, function: FunctionType, said: dict[str, Any], files: list[CodeFile], modules: list[ModuleType]
) -> Packed:
    said |= {"args": list(call.args), "kwargs": dict(call.kwargs)}
    sent = [*files, *files_of([*modules, *call.modules])]
    program = resources.files("corral.surfaces.sdk.functions").joinpath("rank_program.py").read_text(encoding="utf-8")
    own = [CodeFile(PROGRAM, program), CodeFile(_CALL, json.dumps(said))]
    bundle = CodeBundle(tuple(sorted([*own, *sent])))
    refuse_too_much(bundle)
    # The imports of the notebook tell the framework as well: they may stand outside of the function.
    imported = [f"import {source}" for _, source, _ in said.get("imports", ())]
    return Packed(function.__name__, bundle, "\n".join([*(one.text for one in sent), *imported]))


def _plain(function: Callable[..., Any]) -> FunctionType:
    """Returns the function behind its decorators; what is none, or lives only inside of another one, is refused."""
    found = inspect.unwrap(function)
    hint = "give a function that is made by def, at the top of a module, a script or a cell"
    name = getattr(found, "__qualname__", repr(found))
    if not isinstance(found, FunctionType) or found.__name__ == "<lambda>":
        raise PermanentError("bad-function", f"{name} is no function that can be sent", hint=hint)
    if inspect.iscoroutinefunction(found) or inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise PermanentError("bad-function", f"{name} is a coroutine or a generator", hint="give one that returns")
    if found.__code__.co_freevars:
        used = ", ".join(found.__code__.co_freevars)
        raise PermanentError("bad-function", f"{name} uses variables of the function around it: {used}", hint=hint)
    return found


def _is_importable(function: Callable[..., Any], plain: FunctionType) -> bool:
    module = sys.modules.get(plain.__module__)
    if module is None or module.__name__ == "__main__":
        return False
    return is_own(module) and getattr(module, plain.__name__, None) is function


def _refuse_arguments(call: Call) -> None:
    named = {**{f"argument {number}": one for number, one in enumerate(call.args)}, **call.kwargs}
    faults = [fault for name, value in named.items() for fault in faults_in(value, name)]
    if faults:
        hint = "give what JSON can tell (numbers, texts, lists, mappings), or load the rest in the function"
        raise PermanentError("bad-argument", f"arguments cannot be sent: {'; '.join(faults)}", hint=hint)
    try:
        inspect.signature(call.function).bind(*call.args, **call.kwargs)
    except TypeError as error:
        raise PermanentError("bad-argument", f"{_plain(call.function).__name__}: {error}") from error


class _Surroundings:
    """What a function takes from around it, and what that takes in turn; what is needed first comes first."""

    def __init__(self, function: FunctionType) -> None:
        self.sources: list[str] = []
        self.imports: list[tuple[str, str, str]] = []
        self.constants: dict[str, Any] = {}
        self.modules: list[ModuleType] = []
        self._namespace = function.__globals__
        self._taken: set[str] = set()
        self._faults: list[str] = []
        self._take_source(function.__name__, function)
        if self._faults:
            hint = "give it as an argument, make it in the function, or put it into a module"
            message = f"{function.__name__} uses what cannot be sent: {'; '.join(self._faults)}"
            raise PermanentError("bad-function", message, hint=hint)

    def _take_source(self, name: str, defined: Any) -> None:
        self._taken.add(name)
        try:
            source = textwrap.dedent(inspect.getsource(defined))
        except (OSError, TypeError):
            self._faults.append(f"{name}, whose source is not known")
            return
        for used in sorted(names_used(source)):
            if used in self._namespace and used not in self._taken:
                self._take(used, self._namespace[used])
        self.sources.append(source)

    def _take(self, name: str, value: Any) -> None:
        self._taken.add(name)
        if isinstance(value, ModuleType):
            self._import(name, value, "")
            return
        home = sys.modules.get(getattr(value, "__module__", None) or "")
        path = getattr(value, "__qualname__", "")
        if (
            home is not None
            and home.__name__ != "__main__"
            and _reached(home, path) is value
            and self._is_elsewhere(home)
        ):
            self._import(name, home, path)
        elif isinstance(value, FunctionType | type):
            self._take_source(name, value)
        elif not (faults := list(faults_in(value, name))):
            self.constants[name] = value
        else:
            self._faults += faults

    def _is_elsewhere(self, module: ModuleType) -> bool:
        return module.__dict__ is not self._namespace

    def _import(self, name: str, module: ModuleType, path: str) -> None:
        self.imports.append((name, module.__name__, path))
        if is_own(module):
            self.modules.append(module)


def _reached(module: ModuleType, path: str) -> Any:
    found: Any = module
    for part in path.split(".") if path else ():
        found = getattr(found, part, None)
    return found if path else None
