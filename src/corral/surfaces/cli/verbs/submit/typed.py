"""The command of one type of jobs."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.submission.command import FlagCommand
from corral.surfaces.cli.submission.flags import sections_of
from corral.surfaces.cli.submission.reading import refuse_faults, submission_given
from corral.surfaces.cli.submission.sending import send, sending_given, sending_params

if TYPE_CHECKING:
    from corral.kinds.objects import Object


def typed_command(word: str) -> click.Command:
    """Returns the command that submits jobs of a type."""
    callback = api_options(partial(_submit, word))
    own: list[click.Parameter] = list(reversed(callback.__click_params__))  # type: ignore[attr-defined]
    command = click.Argument(["command"], nargs=-1, metavar="['COMMAND']")
    return FlagCommand(
        name=word,
        sections=sections_of(word),
        params=[command, *sending_params(), *own],
        callback=callback,
        help=_HELP.format(word=word),
        short_help=f"Submit a {word}.",
    )


_HELP = """Submit a {word}.

    \b
    corral submit {word} --name mnist --image my/image -- python train.py
    corral submit {word} --name a --image b --workers 2 'python train.py'
    corral submit {word} --name a --image b --dry-run=client -o yaml

    The command is one text for a shell; without one the image runs what it runs by itself.
    """


def _submit(word: str, command: tuple[str, ...], **given: Any) -> int:
    """Makes a job of a type."""
    sending = sending_given(given)
    submission = submission_given(word, given, command)
    from msgspec.structs import replace

    from corral.control.desk.making.needs import needs_of
    from corral.kinds.submission.catalogue import job_type
    from corral.kinds.submission.objects import objects_of

    def objects_in(namespace: str) -> "list[Object]":
        placed = replace(submission, namespace=namespace)
        refuse_faults(placed)
        return objects_of(placed)

    needs = needs_of(submission)
    return send(job_type(word).facts.resource, objects_in, needs, sending)
