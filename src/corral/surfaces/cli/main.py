"""The `corral` command: the root of the tree of commands, and one place for errors."""

import os
import sys

import click

from corral import __version__
from corral.errors import BugError, CorralError, first_cause
from corral.surfaces.cli.calling.everywhere import prepared
from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import ELSEWHERE, SECTIONS
from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.render.refused_answers import is_of_the_answer
from corral.surfaces.cli.speech.exit_codes import BUG, FAILED, INTERRUPTED, exit_status
from corral.surfaces.cli.speech.harmless import harmless
from corral.surfaces.cli.speech.manner import MANNER
from corral.surfaces.cli.speech.spoken import spoken, spoken_usage

COMPLETE = "_CORRAL_COMPLETE"
"""The variable by which a shell asks what may be typed; its value is the name of the shell."""
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(
    cls=LazyGroup,
    package="corral.surfaces.cli.verbs",
    sections=SECTIONS,
    elsewhere=ELSEWHERE,
    context_settings=_SETTINGS,
    name="corral",
)
@click.version_option(__version__, "--version", message="corral %(version)s")
@api_options
def corral() -> None:
    """Deep learning on Kubernetes, and with the same YAML and commands on one machine without it."""


prepared(corral)


def run(arguments: list[str] | None = None) -> int:
    """Runs one command line and returns its exit status; errors are written to stderr."""
    words = sys.argv[1:] if arguments is None else arguments
    MANNER.begin(words)
    if COMPLETE in os.environ:
        return _complete(os.environ[COMPLETE], words)
    try:
        return _run(words)
    except Exception as error:  # noqa: BLE001 - the end of the line: it has no other place to be told
        return _failed(first_cause(error))
    finally:
        MANNER.begin(())  # a process may run several command lines, and each speaks for itself


def _failed(cause: BaseException) -> int:
    """Tells of an error that nobody foresaw, or that came out of several tasks at once, and returns the exit status."""
    _trace()
    if isinstance(cause, CorralError):
        tell(spoken(cause))
        return exit_status(cause)
    broken = BugError("unexpected", f"{type(cause).__name__}: {cause}", hint="`corral --debug ...` shows where")
    tell(spoken(broken))
    return BUG


def _complete(shell: str, words: list[str]) -> int:
    from corral.surfaces.cli.completion.answers import answer

    if lines := answer(shell, words, corral):
        click.echo(lines)
    return 0


def _run(words: list[str]) -> int:
    try:
        return _answered(words)
    except click.exceptions.NoArgsIsHelpError as error:
        return _helped(error)
    except click.ClickException as error:
        tell(spoken_usage(error))
        return error.exit_code
    except (click.Abort, EOFError, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        if not is_of_the_answer(error):
            raise  # it should have been told by whoever met it
        if isinstance(error, BrokenPipeError):
            # The reader has left (`corral status | head -1`); point stdout at nothing, so that the flush at exit is quiet.
            sys.stdout = open("/dev/null", "w")  # noqa: SIM115 - lives until the process ends
            return 0
        _trace()
        tell(f"error: the answer cannot be written: {error.strerror}")
        return FAILED
    except CorralError as error:
        _trace()
        tell(spoken(error))
        return exit_status(error)


def _answered(words: list[str]) -> int:
    """Runs a command line and returns its status; click's own `main` would make an end of every pipe that breaks."""
    try:
        with corral.make_context("corral", list(words)) as ctx:
            answer = corral.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    return answer if isinstance(answer, int) else 0


def _helped(error: click.exceptions.NoArgsIsHelpError) -> int:
    """Shows the help of a command that was typed alone; `corral` itself may be, a group of commands wants one of them."""
    is_corral = error.ctx is None or error.ctx.parent is None
    click.echo(error.message, err=not is_corral)
    return 0 if is_corral else error.exit_code


def _trace() -> None:
    """Shows where an error comes from, to who asked for it."""
    if MANNER.debug:
        import traceback

        click.echo(harmless(traceback.format_exc()), err=True, nl=False)
