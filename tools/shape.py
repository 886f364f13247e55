"""Checks the shape of the repository: sizes, names, forbidden constructions, and words that must not be committed.

`make check` runs it over every file that git knows or would add. Each rule is a function from a file to complaints;
what is generated is exempt by name, never by size. Ruff checks docstrings and most of the dangerous calls already.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 600
LONGEST_FUNCTION = 80
MOST_PARAMETERS = 7
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager", "types"}
BROAD = {"Exception", "BaseException"}
GENERATED = ("requirements.lock", "requirements-dev.lock", "docs/reference/", "LICENSE", "go.sum")

# Assembled from halves, so that this file does not contain what it forbids.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK")) + r")\b")
REGISTRY = re.compile(
    "|".join(
        re.escape(left + right)
        for left, right in (
            ("pypi", ".org"),
            ("python", "hosted.org"),
            ("registry.npm", "js.org"),
            ("proxy.go", "lang.org"),
            ("sum.go", "lang.org"),
            ("crates", ".io"),
            ("conda.ana", "conda.org"),
            ("deb.deb", "ian.org"),
        )
    )
)
NARROW_WAIT = re.compile(r"\bselect\.select\b|\bfrom select import .*\bselect\b|\bSelectSelector\b")
QUESTION = re.compile(r"\bclick\.(?:confirm|prompt)\b")
MACHINE_PATH = re.compile(
    # Where keys for ssh are mounted in a container is a default of the MPIJob API.
    r"(?<![\w.~$}/-])/("
    + "|".join(("wo" + "rk", "ro" + "ot", "ho" + "me/[a-z]", "Us" + "ers/[a-z]"))
    + r")\b(?!/\.ssh\b)"
)

PATHS_OF_IMAGES = (
    # Where Arena starts containers: a path inside of images, not of a machine.
    "src/corral/kinds/submission/submission.py",
    "tests/submission/golden/job_types.py",
    "tests/surfaces/snapshots/shown.py",
)


def complaints_about(name: str, text: str) -> Iterator[str]:
    """Yields every complaint about one file, given by its path from the root and its text."""
    if any(name == exempt or name.startswith(exempt) or name.endswith("/" + exempt) for exempt in GENERATED):
        return
    for rule in TEXT_RULES:
        yield from (f"{name}: {complaint}" for complaint in rule(name, text))
    if name.endswith(".py"):
        tree = ast.parse(text)
        for node_rule in NODE_RULES:
            yield from (f"{name}:{line}: {complaint}" for line, complaint in node_rule(tree))


def long_files(name: str, text: str) -> Iterator[str]:
    """A file of code says one thing; over the limit it says several."""
    count = text.count("\n")
    if name.endswith(".py") and count > LONGEST_FILE:
        yield f"{count} lines; more than {LONGEST_FILE}"


def banned_names(name: str, _text: str) -> Iterator[str]:
    """A helper without a home has a concept without a name."""
    for part in Path(name).with_suffix("").parts:
        if name.endswith(".py") and part in BANNED_NAMES:
            yield f"`{part}` names nothing; name the concept"


def unfinished_work(_name: str, text: str) -> Iterator[str]:
    """Work that is not done belongs in an issue."""
    yield from (f"line {line}: `{found}`" for line, found in _found(UNFINISHED, text))


def registry_hosts(_name: str, text: str) -> Iterator[str]:
    """Where packages come from is the user's setting, not ours."""
    yield from (f"line {line}: host of a package registry `{found}`" for line, found in _found(REGISTRY, text))


def machine_paths(name: str, text: str) -> Iterator[str]:
    """A path of one machine means nothing on the next."""
    if name not in PATHS_OF_IMAGES:
        yield from (f"line {line}: path of one machine `{found}`" for line, found in _found(MACHINE_PATH, text))


def long_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """A function that does not fit on a screen hides its steps."""
    for function in _functions(tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > LONGEST_FUNCTION:
            yield function.lineno, f"`{function.name}` has {length} lines; more than {LONGEST_FUNCTION}"


def wide_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Many parameters are a type that nobody has named; the options of a command are exempt."""
    for function in _functions(tree):
        given = function.args
        names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        count = len([name for name in names if name not in ("self", "cls")])
        if count > MOST_PARAMETERS and not _is_command(function):
            yield function.lineno, f"`{function.name}` has {count} parameters; more than {MOST_PARAMETERS}"


def swallowed_errors(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """An error that is caught broadly and dropped is lost for good."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler) or not all(
            isinstance(s, ast.Pass | ast.Continue) for s in node.body
        ):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        if any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in caught):
            yield node.lineno, "catches every error and drops it"


def stand_ins(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """What is not built must not look as if it were."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "NotImplementedError":
            yield node.lineno, "raises NotImplementedError"


def questions_of_their_own(name: str, text: str) -> Iterator[str]:
    """A question has one way, which knows who does not want to be asked."""
    if name.startswith("src/") and "/speech/" not in name:
        yield from (f"line {line}: asks by itself with `{found}`" for line, found in _found(QUESTION, text))


def narrow_waits(name: str, text: str) -> Iterator[str]:
    """What waits by `select` fails in a program that has more than 1,023 open files."""
    if name.startswith("src/"):
        yield from (
            f"line {line}: `{found}` knows no handles above 1023: use poll" for line, found in _found(NARROW_WAIT, text)
        )


def shells_and_pickles(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Both turn data into code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "shell" and getattr(node.value, "value", None) is True:
            yield node.value.lineno, "runs a shell"
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.split(".")[0] in ("pickle", "marshal", "shelve") for name in names):
            yield getattr(node, "lineno", 0), "imports a loader that runs what it reads"


TEXT_RULES: tuple[Callable[[str, str], Iterable[str]], ...] = (
    long_files,
    banned_names,
    unfinished_work,
    registry_hosts,
    machine_paths,
    questions_of_their_own,
    narrow_waits,
)
NODE_RULES: tuple[Callable[[ast.Module], Iterable[tuple[int, str]]], ...] = (
    long_functions,
    wide_functions,
    swallowed_errors,
    stand_ins,
    shells_and_pickles,
)


def repository_files() -> Iterator[tuple[str, str]]:
    """Yields path and text of every text file that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        path = ROOT / name
        if path.is_file():
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("click." in ast.unparse(decorator) for decorator in function.decorator_list)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        for match in pattern.finditer(line):
            yield number, match.group()


def main() -> int:
    """Prints every complaint and returns 1 when there is one."""
    complaints = [complaint for name, text in repository_files() for complaint in complaints_about(name, text)]
    for complaint in complaints:
        sys.stdout.write(complaint + "\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
