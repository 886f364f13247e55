"""What `corral scale`, `scalein` and `scaleout` have in common, and the commands of the latter two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from corral.surfaces.cli.calling.lazy_group import TellingGroup
from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, FAILED
from corral.surfaces.cli.words.durations import seconds_given

if TYPE_CHECKING:
    from collections.abc import Callable

    from corral.control.desk.changing.scaling import Scaled
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session

_TYPES = {
    "etjob": ("et",),
    "deepspeedjob": ("deepspeed", "dp"),
    "mpijob": ("mpi",),
    "pytorchjob": ("pytorch",),
    "paddlejob": ("paddle",),
}
"""The types whose jobs can be elastic, with their other names."""


class Script(NamedTuple):
    """What to run in the pod that leads; "" is nothing."""

    text: str
    variables: tuple[str, ...]
    retries: int


def scale_job(session: "Session", job: "Found", wanted: "Callable[[int], int]", timeout: int | None) -> "Scaled":
    """Scales, waits for the workers, and says what it did."""
    from corral.control.desk.changing.scaling import scale, wait_for_workers

    scaled = scale(session, job, wanted)
    if scaled.before == scaled.after:
        say(f"{job.shown} has {scaled.after} workers already")
    wait_for_workers(session, job, scaled.after, timeout, on_wait=tell)
    if scaled.before != scaled.after:
        say(f"{job.shown} scaled from {scaled.before} to {scaled.after} workers")
    return scaled


def scaling_group(name: str, *, inward: bool) -> click.Group:
    """Returns the group `scalein` or `scaleout`, with a command for each type of elastic jobs."""
    away = "Take workers from elastic jobs." if inward else "Give workers to elastic jobs."
    group = TellingGroup(name, help=away)
    for kind, aliases in _TYPES.items():
        for word in (kind, *aliases):
            group.add_command(_command(word, kind, inward=inward))
    return group


def _command(word: str, kind: str, *, inward: bool) -> click.Command:
    @click.command(
        word,
        hidden=word != kind,
        help=f"""{"Take workers from" if inward else "Give workers to"} an elastic {kind}, inside of its bounds.

        The script runs in the pod that leads, {"before workers go" if inward else "after workers have come"}; it is read by the
        container's `sh`.""",
    )
    @click.option("--name", required=True, metavar="JOB", help="The name of the job.")
    @click.option("--count", type=click.IntRange(min=1), default=1, show_default=True, help="How many workers.")
    @click.option("-t", "--timeout", callback=seconds_given, default="60s", show_default=True, metavar="TIME")
    @click.option("--retry", type=click.IntRange(0, 100), default=0, help="How often a failed script is run again.")
    @click.option("--script", default="", metavar="LINE", help="A line for the shell of the pod that leads.")
    @click.option(
        "-e",
        "--env",
        multiple=True,
        metavar="NAME=VALUE",
        help="A variable for the script; may be repeated. No place for secrets: the list of processes of the pod and the logs of the API show it.",
    )
    @api_options
    def command(name: str, count: int, timeout: int, retry: int, script: str, env: tuple[str, ...]) -> int:
        return _scale_by(kind, name, -count if inward else count, timeout, Script(script, env, retry))

    return command


def _scale_by(kind: str, name: str, by: int, timeout: int, script: Script) -> int:
    from corral.control.desk.changing.scaling import refuse_scaling
    from corral.control.desk.naming.finding import job_or_pod

    def wanted(now: int) -> int:
        return now + by

    variables = _variables(script.variables)
    with connected(doing="writing to") as session:
        job = job_or_pod(session, name, pods=False, trainer=kind)
        refuse_scaling(job, wanted)
        if by < 0 and (status := _run(session, job, script, variables)):
            return status
        scale_job(session, job, wanted, timeout)
        return _run(session, job, script, variables) if by > 0 else DONE


def _variables(given: Sequence[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    for name, equals, _ in pairs:
        if not equals or not name.isidentifier():
            raise click.UsageError(f"--env takes NAME=VALUE, not {name!r}")
    return {name: value for name, _, value in pairs}


def _run(session: "Session", job: "Found", script: Script, variables: dict[str, Any]) -> int:
    """Runs the script, shows what it said, and returns the exit status."""
    from corral.control.desk.changing.scaling import run_script

    if not script.text:
        return DONE
    ended = run_script(session, job, script.text, variables, script.retries)
    for said in (ended.output, ended.errors):
        if said:
            tell(said.decode(errors="replace").rstrip("\n"))
    if ended.exit_code:
        tell(f"error: the script ended with {ended.exit_code} in the pod that leads {job.key.name}")
    return FAILED if ended.exit_code else DONE
