"""Which test shows which case of the training contract: read from the marks in the tests, without running them."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "training"
CONTRACT = TESTS / "cases" / "contract.yaml"

_INTRODUCTION = """# Conformance of the training kinds

What clients of the Kubeflow training kinds rely on, and the tests that show it. Every test runs on the embedded API server
and on a real kube-apiserver with kube-controller-manager, with `corral operator` as a process of its own; pod phases are
written by the test in place of a kubelet. Tests are in `tests/training/cases` unless a folder is named.
"""


class Shown(NamedTuple):
    """One test and the cases that its mark names."""

    file: str
    test: str
    cases: tuple[int | str, ...]


def contract() -> dict[str, dict[int | str, str]]:
    """Returns every case with its words, by the heading that it stands under."""
    read: dict[str, dict[int | str, str]] = yaml.safe_load(CONTRACT.read_text())
    return read


def shown() -> list[Shown]:
    """Returns every test that is marked with cases."""
    return [one for path in sorted(TESTS.rglob("test_*.py")) for one in _marked(path)]


def _marked(path: Path) -> Iterator[Shown]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            cases = tuple(case for decorator in node.decorator_list for case in _cases(decorator))
            if cases:
                yield Shown(str(path.relative_to(TESTS)).removeprefix("cases/"), node.name, cases)


def _cases(decorator: ast.expr) -> Iterator[int | str]:
    if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "case":
        yield from (ast.literal_eval(argument) for argument in decorator.args)


def cases_page() -> str:
    """Returns the table of all cases with the tests that show them."""
    tests = shown()
    lines = [_INTRODUCTION]
    for heading, cases in contract().items():
        lines += [f"## {heading}\n", "| case | what holds | shown by |", "|---|---|---|"]
        for case, words in cases.items():
            where = "<br>".join(f"`{one.file}::{one.test}`" for one in tests if case in one.cases)
            lines.append(f"| {case} | {words} | {where} |")
        lines.append("")
    return "\n".join(lines)
