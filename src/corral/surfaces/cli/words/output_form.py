"""`-o`: the forms in which every command that shows something can answer."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from corral.surfaces.cli.words.json_template import JsonTemplate

F = TypeVar("F", bound=Callable[..., Any])
FORMS = ("wide", "json", "yaml", "name", "jsonpath=TEMPLATE")
DATA_FORMS = ("text", "json", "yaml", "name", "jsonpath=TEMPLATE")
"""The forms of what is no table of objects."""
_JSONPATH = FORMS[-1]


class OutputForm(NamedTuple):
    """What was asked for; "" is the table, or whatever else people read."""

    name: str = ""
    template: "JsonTemplate | None" = None

    @property
    def is_for_people(self) -> bool:
        """Whether text is wanted, not data."""
        return self.name in ("", "wide", "text")

    @property
    def is_wide(self) -> bool:
        """Whether every column is wanted, however wide the table gets."""
        return self.name == "wide"


if TYPE_CHECKING:
    _Base = click.ParamType[OutputForm]
else:
    _Base = click.ParamType  # older versions of click cannot say of which type


class FormType(_Base):
    """Reads the word behind `-o`."""

    name = "form"

    def __init__(self, forms: tuple[str, ...] = FORMS) -> None:
        self.forms = forms

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> OutputForm:
        """Returns the form that a word means; a template is read at once, so that nothing is asked for in vain."""
        if isinstance(value, OutputForm):
            return value
        word, _, text = str(value).partition("=")
        if word == "jsonpath" and _JSONPATH in self.forms:
            return OutputForm("jsonpath", _template(text))
        if value in self.forms:
            return OutputForm(value)
        raise click.BadParameter(f"{value!r} is not one of {', '.join(self.forms)}", ctx, param)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[click.shell_completion.CompletionItem]":
        """Returns the forms that begin like what was typed."""
        from click.shell_completion import CompletionItem

        words = [form.removesuffix("TEMPLATE") for form in self.forms]
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _template(text: str) -> "JsonTemplate":
    from corral.kinds.json_path import JsonPathError
    from corral.surfaces.cli.words.json_template import parse_template

    if not text:
        raise click.BadParameter("jsonpath needs a template: -o jsonpath='{.metadata.name}'")
    try:
        return parse_template(text)
    except JsonPathError as error:
        raise click.BadParameter(f"the template is not understood: {error}") from error


def _set_by_user() -> OutputForm:
    from corral import assembly  # a command that shows a list needs it anyway

    return OutputForm(assembly.read_settings().of("output").value)


def output_option(*forms: str, by_settings: bool = False) -> Callable[[F], F]:
    """Returns the option `-o`; the command gets an `OutputForm` as `output`, also one that the user has set for lists."""
    known = forms or FORMS
    return click.option(
        "-o",
        "--output",
        type=FormType(known),
        default=_set_by_user if by_settings else OutputForm(),
        show_default=False,
        metavar=f"[{'|'.join(known)}]",
        help="Form of the answer.",
    )
