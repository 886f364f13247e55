"""The `corral` command: a table of commands whose modules are imported on first use, and one place for errors."""

import importlib
import sys

import click

from corral import __version__
from corral.errors import CorralError
from corral.surfaces.cli.exit_codes import FAILED, INTERRUPTED, exit_status
from corral.surfaces.cli.spoken import spoken

COMMANDS = {
    "apply": "Make the API hold what files say.",
    "get": "Show jobs, the story of one job, or anything else.",
    "logs": "Show what the pods of a job print.",
    "wait": "Wait until a job has succeeded, or otherwise is where you want it.",
    "delete": "Delete jobs and other objects.",
    "up": "Start Corral on this machine.",
    "down": "Stop it; everything stored stays.",
    "status": "Show what runs, and how it is.",
    "doctor": "Check this machine and name what is wrong.",
    "kubeconfig": "Print the path of the kubeconfig, for kubectl and other tools.",
    "image": "Say what image names mean on this machine.",
    "install": "Put the definitions of the training kinds on a cluster.",
    "operator": "Look after training jobs of a cluster, until stopped.",
    "node": "Join a cluster with this machine, until stopped.",
    "version": "Print the version.",
}
"""Name and help of each command, in the order of the help page; here, so that `--help` imports no command."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports each from `verbs` when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of this name, None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"corral.surfaces.cli.verbs.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", message="corral %(version)s")
def corral() -> None:
    """Deep learning on Kubernetes, and with the same YAML and commands on one machine without it."""


def main(arguments: list[str] | None = None) -> None:
    """Runs one command line and ends the process with its exit status."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Runs one command line and returns its exit status; errors are written to stderr."""
    try:
        answer = corral.main(arguments, prog_name="corral", standalone_mode=False)
        return answer if isinstance(answer, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left (`corral status | head -1`); point stdout at nothing, so that the flush at exit is quiet.
        sys.stdout = open("/dev/null", "w")  # noqa: SIM115 - lives until the process ends
        return 0
    except OSError as error:
        # Everything else that the system refuses has been told by then; this is the answer that cannot be written.
        click.echo(f"error: the answer cannot be written: {error.strerror}", err=True)
        return FAILED
    except CorralError as error:
        click.echo(spoken(error), err=True)
        return exit_status(error)
