"""Help: examples first, flags in groups, topics; the same page behind --help and `corral help`."""

import click
import pytest

from corral.surfaces.cli.commands import COMMANDS, SECTIONS
from corral.surfaces.cli.main import corral
from corral.surfaces.cli.speech.exit_codes import BY_CODE
from corral.surfaces.cli.topics import TOPICS
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]


def test_called_alone_the_help_is_the_answer(typed: Typing) -> None:
    shown = typed()
    assert (shown.status, shown.err) == (0, "")
    assert shown == typed("--help")
    for section in SECTIONS:
        assert f"\n{section}:\n" in shown.out


def test_examples_stand_before_flags_and_flags_stand_in_groups(typed: Typing) -> None:
    page = typed("logs", "--help").out
    places = [page.index(part) for part in ("Usage: ", "Examples:", "Options:", "Which API:", "Everywhere:")]
    assert places == sorted(places)
    assert page.index("--follow") < page.index("Which API:") < page.index("--context") < page.index("Everywhere:")
    assert page.index("--debug") > page.index("Everywhere:")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_the_same_both_ways(name: str, typed: Typing) -> None:
    shown = typed("help", name)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out == typed(name, "--help").out
    assert all(len(line) <= 120 for line in shown.out.splitlines())


def test_help_of_a_command_in_a_group(typed: Typing) -> None:
    assert typed("help", "config", "view").out == typed("config", "view", "--help").out


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_are_explained_and_listed(topic: str, typed: Typing) -> None:
    assert typed("help", topic).out == TOPICS[topic][1] + "\n"
    assert f"  {topic}" in typed("help").out


def test_what_is_no_topic_is_told_what_is_near(typed: Typing) -> None:
    assert typed("help", "exit-code") == (
        2,
        "",
        'error: there is no command and no topic "exit-code"\nhint: did you mean "exit-codes"?\n',
    )


def test_every_exit_status_is_explained() -> None:
    explained = {line.split()[0] for line in TOPICS["exit-codes"][1].splitlines()}
    assert {str(status) for status in BY_CODE.values()} <= explained


def test_options_of_every_command_are_taken_by_every_command() -> None:
    root = click.Context(corral)
    for name in COMMANDS:
        command = corral.get_command(root, name)
        assert command is not None
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert {"--debug", "--no-input", "--color"} <= flags, name
