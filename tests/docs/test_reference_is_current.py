"""Generated pages say what the code does now; `make reference` rewrites them."""

import pytest

from corral.surfaces.cli.commands import COMMANDS
from tools.reference import FOLDER, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_would_be_generated_now(name: str) -> None:
    assert (FOLDER / name).read_text() == PAGES[name], "hint: make reference"


def test_no_page_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def test_every_command_is_described() -> None:
    assert [name for name in COMMANDS if f"## corral {name}\n" not in PAGES["cli.md"]] == []
