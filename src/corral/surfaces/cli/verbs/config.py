"""`corral config`."""

import click

from corral import assembly
from corral.surfaces.cli.calling.lazy_group import TellingGroup
from corral.surfaces.cli.connection import api_options, chosen_api
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option


@click.group(cls=TellingGroup)
def config() -> None:
    """Show and change settings.

    A setting counts as a flag, a variable (CORRAL_...), in the file of a project (.corral.yaml, here or in a folder above),
    in your own file (config.yaml in Corral's home), in Arena's file, or by default, in this order. The file of a project cannot
    choose the context.
    """


@config.command()
@click.option("--show-origin", is_flag=True, help="Where each value comes from.")
@output_option(*DATA_FORMS)
@api_options
def view(show_origin: bool, output: OutputForm) -> None:
    """Show every setting that counts here.

    \b
    corral config view --show-origin
    corral config view -o json

    Asks no API, and starts none.
    """
    found = assembly.where_set(**chosen_api()._asdict())
    if not output.is_for_people:
        say_data({name: said._asdict() for name, said in found.items()}, list(found), output)
    else:
        head = ("SETTING", "VALUE", *(("ORIGIN",) if show_origin else ()))
        rows = [(name, said.value or "-", *((said.origin,) if show_origin else ())) for name, said in found.items()]
        say(table([head, *rows]))
    for note in assembly.arena_settings().notes:
        tell(f"note: {found['arena-config'].value}: {note}")


@config.command("set")
@click.argument("key")
@click.argument("value")
def set_value(key: str, value: str) -> None:
    """Set something in your own file.

    \b
    corral config set namespace vision
    corral config set image-pull-secrets team-registry,mirror
    corral config set color never
    """
    _keep(key, value)


@config.command("unset")
@click.argument("key")
def unset_value(key: str) -> None:
    """Take something out of your own file."""
    _keep(key, "")


def _keep(key: str, value: str) -> None:
    from corral.control.settings.table import setting_named

    path = assembly.keep_setting(setting_named(key), value)
    say(f"{key} is set in {path}" if value else f"{key} is not set in {path}")
