"""`corral exec`."""

from collections.abc import Sequence
from typing import Any

import click

from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.words.trainer_type import type_option


class _WithKubectlsFlags(click.Command):
    """Reads kubectl's `-it` as what people mean by it, though -i names an instance here as in Arena."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replaces `-it`, `-ti`, and an `-i` that has nothing behind it, up to `--`."""
        end = args.index("--") if "--" in args else len(args)
        own = list(args[:end])
        if own and own[-1] == "-i":
            own[-1] = "--stdin"
        replaced = [flag for word in own for flag in _MEANT.get(word, (word,))]
        return super().parse_args(ctx, [*replaced, *args[end:]])


_MEANT = {"-it": ("--stdin", "--tty"), "-ti": ("--stdin", "--tty")}


@click.command("exec", cls=_WithKubectlsFlags)
@click.argument("job")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND [ARGUMENT]...")
@type_option
@click.option(
    "-i", "--instance", default="", metavar="POD", help="Another pod than the one that leads: its name or worker-0."
)
@click.option("--rank", type=click.IntRange(min=0), default=None, metavar="N", help="The pod of this rank.")
@click.option("-c", "--container", default="", metavar="NAME", help="Another container than the one that trains.")
@click.option("--stdin", "takes_input", is_flag=True, help="Pass our input on to the command.")
@click.option("-t", "--tty", "wants_terminal", is_flag=True, help="Give the command our terminal; -it is both.")
@api_options
def exec(  # noqa: A001 - the function has the name of the command
    words: Sequence[str], takes_input: bool, wants_terminal: bool, **wished: Any
) -> int:
    """Run a command inside of a job, in the pod that leads it.

    \b
    corral exec digits -- nvidia-smi
    corral exec digits --rank 3 -- py-spy dump --pid 1
    corral exec -it digits -i worker-0 -- bash
    corral exec --stdin digits -- tee /data/words.txt < words.txt

    JOB is the name of a training job, of a plain Job or of a pod, also as KIND/NAME. The command is a list of words that no
    shell reads. Its exit status is ours.
    """
    from corral.control.desk.commands import Wish
    from corral.surfaces.cli.acts.live_command import has_terminal, run_live

    if wants_terminal and not has_terminal():
        tell("note: there is no terminal here, so the command has none")
    is_heard = takes_input or wants_terminal
    return run_live(Wish(**wished), words, takes_input=is_heard, wants_terminal=wants_terminal)
