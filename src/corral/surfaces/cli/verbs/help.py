"""`corral help`."""

import click

from corral.surfaces.cli.calling.help_page import help_page
from corral.surfaces.cli.speech.mistyped import told_near
from corral.surfaces.cli.topics import TOPICS


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND|TOPIC]")
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> None:  # noqa: A001 - the function has the name of the command
    """Explain a command or a topic.

    \b
    corral help logs
    corral help contexts
    corral help exit-codes
    """
    root = ctx.find_root()
    if not words:
        click.echo(help_page(root))
        click.echo("\nTopics:\n" + "\n".join(f"  {name:<12}  {line}" for name, (line, _) in TOPICS.items()))
    elif len(words) == 1 and words[0] in TOPICS:
        click.echo(TOPICS[words[0]][1])
    else:
        click.echo(help_page(_meant(root, words)))


def _meant(ctx: click.Context, words: tuple[str, ...]) -> click.Context:
    """Returns the command that the words name."""
    for word in words:
        group = ctx.command
        command = group.get_command(ctx, word) if isinstance(group, click.Group) else None
        if command is None:
            known = [*group.list_commands(ctx)] if isinstance(group, click.Group) else []
            known += TOPICS if ctx.parent is None else ()
            what = f'there is no command and no topic "{" ".join(words)}"'
            raise told_near(what, word, known, otherwise="`corral help` lists them", ctx=ctx)
        ctx = click.Context(command, info_name=word, parent=ctx)
    return ctx
