"""`corral image`."""

import shlex
from collections.abc import Mapping
from typing import Any

import click

from corral import assembly
from corral.surfaces.cli.calling.lazy_group import TellingGroup
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.plain import table
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option

COLUMNS = ("PATTERN", "PYTHON", "COMMAND", "WORKDIR", "ENV", "FILES")
NOTHING = "-"


@click.group(cls=TellingGroup)
def image() -> None:
    """Say what image names mean on this machine.

    There are no images here: a container runs its command in your own environment. A mapping says which Python
    environment an image stands for, and what it runs when a manifest gives no command.
    """


@image.command("map")
@click.argument("pattern")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--python", default="", metavar="VENV", help="A virtual environment, or a python program.")
@click.option("--command", default="", metavar="PROGRAM", help="What runs when the manifest gives no command.")
@click.option("--workdir", default="", metavar="FOLDER", help="Where it runs when the manifest does not say.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable; repeatable. Those of manifests win.")
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="SOURCE:PATH",
    help="A file or folder of this machine at the path where the image has it; repeatable.",
)
def map_image(pattern: str, words: tuple[str, ...], command: str, **said: Any) -> None:
    """Say what the images of a pattern mean.

    The pattern is a shell-style glob of the whole name; put it into quotes. The pattern with most literal text counts,
    and a pattern that is mapped again is replaced.

    \b
    corral image map 'tensorflow/*' --python ~/tf-environment
    corral image map 'kubeflow/pytorch-dist-mnist*' --command 'python mnist.py'
    corral image map 'kubeflow-ci/tf-mnist*' --file mnist.py:/var/mnist.py
    """
    if words and not command:
        raise Mistyped(
            f"one pattern is expected, and there is more: {shlex.join(words)}",
            "put a pattern with * into quotes, or the shell replaces it by names of files",
        )
    done = assembly.image_orders().map(pattern, command=(command, *words) if command else (), **said)
    click.echo(f"{'mapped again' if done.was_there else 'mapped'}: {done.mapping.pattern}")
    rows = [(name.lower(), text) for name, text in zip(COLUMNS, _cells(done.mapping.document()), strict=True)]
    click.echo(table([row for row in rows[1:] if row[1] != NOTHING], indent="  "))


@image.command("list")
@output_option(*DATA_FORMS)
def list_images(output: OutputForm) -> None:
    """Show the mappings, in the order in which they were made."""
    mappings = [mapping.document() for mapping in assembly.image_orders().mappings()]
    if not output.is_for_people:
        say_data(mappings, [str(one["pattern"]) for one in mappings], output)
    elif mappings:
        click.echo(table([COLUMNS, *map(_cells, mappings)]))
    else:
        click.echo("no image is mapped: containers run their commands in your own environment")


@image.command("unmap")
@click.argument("pattern")
def unmap_image(pattern: str) -> None:
    """Forget what was said about a pattern."""
    assembly.image_orders().unmap(pattern)
    click.echo(f"unmapped: {pattern}")


def _cells(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns one row of the table."""
    env = " ".join(shlex.quote(f"{name}={value}") for name, value in mapping["env"].items())
    python = mapping["environment"] or mapping["python"]
    files = " ".join(shlex.quote(f"{source}:{path}") for path, source in mapping["files"].items())
    cells = (mapping["pattern"], python, shlex.join(mapping["command"]), mapping["workdir"], env, files)
    return tuple(cell or NOTHING for cell in cells)
