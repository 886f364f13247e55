"""Writes docs/reference from the code: the command line, the error codes and the conformance of the embedded API. `make reference` runs it.

The definitions of the training kinds are rewritten with it. Tests compare all of them with what this would write, so
that they cannot fall behind.
"""

import sys
from collections.abc import Sequence
from inspect import cleandoc
from itertools import groupby
from pathlib import Path

import click

from corral.surfaces.cli.calling.help_page import EVERYWHERE_FLAGS
from corral.surfaces.cli.commands import COMMANDS
from corral.surfaces.cli.main import corral
from corral.surfaces.cli.speech import exit_codes
from corral.testing.contracts.kubernetes_api.page import conformance_page
from tools import training_definitions, training_policies
from tools.error_codes import Mention, mentions
from tools.rights_pages import operator_page, scheduler_page
from tools.training_cases import cases_page

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
MANY = 30
"""So many options of all commands of a group are told with its first command only."""
HEADER = "<!-- Written by `make reference`; change the code instead. -->\n"


def pages() -> dict[str, str]:
    """Returns every page by its file name."""
    return {
        "cli.md": cli_page(),
        "conformance.md": HEADER + "\n" + conformance_page(),
        "errors.md": errors_page(),
        "operator-rights.md": HEADER + "\n" + operator_page(),
        "scheduler-rights.md": HEADER + "\n" + scheduler_page(),
        "training-conformance.md": HEADER + "\n" + cases_page(),
    }


def cli_page() -> str:
    """Describes every command with its options."""
    context = click.Context(corral, info_name="corral", **corral.context_settings)
    parts = [HEADER, "# Command line\n", f"{corral.help}\n", _options(corral, context)]
    for name in COMMANDS:
        command = corral.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        parts += [f"## corral {name}\n", _prose(command.help or ""), _options(command, inner)]
        parts += _members(command, inner)
    return "\n".join(part for part in parts if part)


def _members(group: click.Command, context: click.Context) -> list[str]:
    """Describes the commands of a group, with their arguments."""
    parts = []
    if not isinstance(group, click.Group):
        return []
    names = group.list_commands(context)
    commands = [command for name in names if (command := group.get_command(context, name)) is not None]
    told: frozenset[str] = frozenset()
    for name, command in zip(names, commands, strict=True):
        inner = click.Context(command, info_name=name, parent=context)
        words = " ".join(p.make_metavar(inner) for p in command.params if isinstance(p, click.Argument))
        parts += [f"### {context.command_path} {name} {words}".rstrip() + "\n"]
        parts += [_prose(command.help or ""), _options(command, inner, told)]
        told = _shared(commands)
    return parts


def _shared(commands: Sequence[click.Command]) -> frozenset[str]:
    """Returns options that all commands of a group have, when they are so many that telling them once is enough."""
    found = frozenset.intersection(*(frozenset(one.name or "" for one in command.params) for command in commands))
    return found if len(found) > MANY else frozenset()


def errors_page() -> str:
    """Lists exit statuses and every error code with its family and its words."""
    statuses = (exit_codes.__doc__ or "").split("\n\n")[1]
    lines = [HEADER, "# Exit statuses and error codes\n", "```", _unindented(statuses), "```\n"]
    lines += [
        "Errors have a code, a message and mostly a hint, and belong to a family: *permanent* (somebody must change",
        "something), *retry* (the same call may succeed later), *bug* (our fault; please report it).\n",
        "| code | family | exit | says |",
        "|---|---|---|---|",
    ]
    for code, group in groupby(mentions(), key=lambda mention: mention.code):
        lines.append(_row(code, list(group)))
    return "\n".join(lines) + "\n"


def _row(code: str, found: list[Mention]) -> str:
    families = sorted({mention.family for mention in found})
    exits = sorted({_exit(code, family) for family in families})
    words = "<br>".join(sorted({mention.says.replace("|", "\\|") for mention in found if mention.says}))
    return f"| `{code}` | {', '.join(families)} | {', '.join(map(str, exits))} | {words} |"


def _exit(code: str, family: str) -> int:
    by_family = {"permanent": exit_codes.FAILED, "retry": exit_codes.TRY_AGAIN, "bug": exit_codes.BUG}
    return exit_codes.BY_CODE.get(code, by_family[family])


def _options(command: click.Command, context: click.Context, told: frozenset[str] = frozenset()) -> str:
    """Returns the table of options, without those that were told before; what every command takes stands with the root."""
    options = [one for one in command.params if isinstance(one, click.Option) and one.name not in told]
    if context.parent is not None:
        options = [option for option in options if not set(option.opts) & set(EVERYWHERE_FLAGS)]
    rows = [record for option in options if (record := option.get_help_record(context))]
    if not rows:
        return "And the options of all types.\n" if told else ""
    escaped, lines = "\\|", ["| option | meaning |", "|---|---|"]
    lines += [f"| `{flags.replace('|', escaped)}` | {text} |" for flags, text in rows]
    return "\n".join([*lines, *(["", "And the options of all types."] if told else [])]) + "\n"


def _prose(text: str) -> str:
    """Returns a help text as Markdown; paragraphs marked as verbatim for the terminal become blocks of code."""
    parts = []
    for paragraph in cleandoc(text).split("\n\n"):
        words = paragraph.replace("\b", "").strip()
        parts.append(f"```sh\n{words}\n```" if "\b" in paragraph else words)
    return "\n\n".join(parts) + "\n"


def _unindented(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines())


def main() -> None:
    """Rewrites the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
        sys.stdout.write(f"docs/reference/{name}\n")
    training_definitions.main()
    training_policies.main()


if __name__ == "__main__":
    main()
