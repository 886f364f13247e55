"""A command or flag that a message, a hint or a page names can be typed as it stands."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from corral.surfaces.cli.main import corral

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`corral ([a-z][^`]*)`")


def named_commands() -> list[tuple[str, str]]:
    """Returns every command line in backquotes with the file that names it; words in capitals are placeholders."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/reference/*.md")]
    texts = [(page, page.read_text()) for page in pages]
    texts += [(file, text) for file in ROOT.glob("src/corral/**/*.py") for text in spoken_texts(file)]
    return sorted({(str(file.relative_to(ROOT)), line) for file, text in texts for line in NAMED.findall(text)})


def spoken_texts(file: Path) -> Iterator[str]:
    """Yields the texts of a module that users may see: every literal that is not a docstring."""
    tree = ast.parse(file.read_text())
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


@pytest.mark.parametrize(("file", "line"), named_commands())
def test_a_named_command_can_be_typed(file: str, line: str) -> None:
    name, *words = line.split()
    command = corral.get_command(click.Context(corral), name)
    assert command is not None
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command, words = command.get_command(click.Context(command), words[0]), words[1:]
    assert command is not None
    flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert [word for word in words if word.startswith("-") and word not in flags] == []


def test_the_desk_speaks_of_whole_commands_and_never_of_a_flag_alone() -> None:
    """Other surfaces ask the desk too: a flag means something to the command line only, which says it by itself."""
    alone = {
        (file.name, text)
        for file in (ROOT / "src/corral/control/desk").rglob("*.py")
        for text in whole_texts(file)
        if " " in text and re.search(r"(?<![\w-])--?[a-zA-Z]", COMMAND.sub("", text))
    }
    assert alone == set()


COMMAND = re.compile(r"`(?:corral|kubectl) [^`]*`|\b(?:corral|kubectl) .*|\S+ -m pip .*")


def whole_texts(file: Path) -> Iterator[str]:
    """Yields the texts of a module; what is filled in is a word."""
    tree = ast.parse(file.read_text())
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "WORD" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside | documentation:
            yield node.value
