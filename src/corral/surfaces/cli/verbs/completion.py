"""`corral completion`."""

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, flags and names in a shell.

    \b
    source <(corral completion bash)                                   this shell
    echo 'source <(corral completion bash)' >> ~/.bashrc               every bash
    corral completion zsh > ~/.zfunc/_corral                           zsh
    corral completion fish > ~/.config/fish/completions/corral.fish    fish

    Names of jobs, pods, namespaces and contexts are those of the API that the line talks to. It is given half a second,
    and the one of this machine is never started for it.
    """
    from corral.surfaces.cli.completion.scripts import SCRIPTS

    click.echo(SCRIPTS[shell], nl=False)
