"""Finds every error code of the product in its source: the code, its family, and what is said with it.

Read from the syntax tree, so that a code cannot be missing from the reference because nobody listed it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parent.parent / "src" / "corral"
FAMILIES = {"RetryError": "retry", "PermanentError": "permanent", "BugError": "bug"}
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


class Mention(NamedTuple):
    """One place where a code is given: by which family of error, and with which words."""

    code: str
    family: str
    says: str


def mentions() -> list[Mention]:
    """Returns every mention in the product, sorted and without repetition."""
    trees = [ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py")) if "testing" not in path.parts]
    bases = {
        node.name: [_last_name(base) for base in node.bases]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    return sorted({mention for tree in trees for mention in _in_tree(tree, bases)})


def _in_tree(tree: ast.Module, bases: dict[str, list[str]]) -> Iterator[Mention]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from _in_class(node, bases)
        elif isinstance(node, ast.Call):
            family = _family(_last_name(node.func), bases)
            if family:
                yield from _in_call(node, family)


def _in_class(node: ast.ClassDef, bases: dict[str, list[str]]) -> Iterator[Mention]:
    family = _family(node.name, bases)
    if not family:
        return
    meaning = (ast.get_docstring(node) or "").splitlines()[:1]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and _last_name(inner.targets[0]) == "code_word":
            yield from (Mention(code, family, *meaning) for code in _codes(inner.value))
        if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "super().__init__":
            yield from _in_call(inner, family, *meaning)


def _in_call(node: ast.Call, family: str, otherwise: str = "") -> Iterator[Mention]:
    if len(node.args) < 2:
        return
    for code in _codes(node.args[0]):
        yield Mention(code, family, _template(node.args[1]) or otherwise)


def _codes(node: ast.expr) -> Iterator[str]:
    """Yields the codes that an expression can be: a literal, or either side of a choice."""
    if isinstance(node, ast.IfExp):
        yield from _codes(node.body)
        yield from _codes(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
        yield node.value


def _template(node: ast.expr) -> str:
    """Returns a message with `...` where values are filled in, empty when it is not written out here."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp):
        return _template(node.left) + (_template(node.right) or "...")
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values)


def _family(name: str, bases: dict[str, list[str]]) -> str:
    if name in FAMILIES:
        return FAMILIES[name]
    return next((family for base in bases.get(name, ()) if (family := _family(base, bases))), "")


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
