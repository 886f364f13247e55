"""`-T`: which type of training jobs is meant, by Arena's words."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from corral.surfaces.cli.speech.mistyped import Mistyped

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:
    _Base = click.ParamType[str]
else:
    _Base = click.ParamType  # older versions of click cannot say of which type


class TrainerType(_Base):
    """Reads the word behind `-T`; the command gets the name of the type, such as `tfjob`."""

    name = "type"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the name of the type that a word means."""
        from corral.control.desk.naming.suggestions import did_you_mean
        from corral.control.desk.naming.trainers import ABSENT, TRAINERS, trainer_named

        if found := trainer_named(value):
            return found.name
        if what := ABSENT.get(str(value).lower()):
            raise click.BadParameter(f"Corral does not run {what}; `corral get` shows them by their kind", ctx, param)
        near = did_you_mean(value, [word for one in TRAINERS for word in (one.name, *one.aliases)])
        known = near or f"known are {', '.join(one.name for one in TRAINERS)}"
        raise Mistyped(f"{value!r} is no type of training jobs", known, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[click.shell_completion.CompletionItem]":
        """Returns the types that begin like what was typed."""
        from click.shell_completion import CompletionItem

        from corral.control.desk.naming.trainers import TRAINERS

        return [CompletionItem(one.name) for one in TRAINERS if one.name.startswith(incomplete)]


def type_option(command: F) -> F:
    """Adds `-T`; the command gets it as `trainer`, "" when it is not given."""
    return click.option(
        "-T",
        "--type",
        "trainer",
        type=TrainerType(),
        default=None,
        callback=lambda _ctx, _option, value: value or "",
        metavar="TYPE",
        help="Only this type of training jobs: tfjob, pytorchjob, mpijob, ...",
    )(command)
