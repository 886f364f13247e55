"""`corral run`."""

from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.connection import api_options, chosen_api
from corral.surfaces.cli.render.output import say_to_nobody, tell
from corral.surfaces.cli.speech.exit_codes import DONE, FAILED, LOST
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.sending import Sending, send, sending_given, sending_options
from corral.surfaces.cli.words.durations import seconds_given

if TYPE_CHECKING:
    from corral.assembly.scripts import Prepared
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.objects import Object

_STATUS = {"reached": DONE, "failed": FAILED, "otherwise": FAILED, "lost": LOST}
_FIELDS = (
    "workers",
    "name",
    "image",
    "gpus",
    "cpu",
    "memory",
    "nproc_per_node",
    "queue",
    "run_time",
    "checkpoints",
    "stays",
)
"""The options that are fields of the submission as they are."""


# Everything behind the script is the script's own, whatever it looks like.
@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("script", metavar="SCRIPT.py")
@click.argument("args", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
@click.option("--workers", type=click.IntRange(min=1), default=1, metavar="N", help="How many workers; 1 by default.")
@click.option("--framework", default="", metavar="NAME", help="What the script is for; by default its imports tell.")
@click.option("--name", default="", metavar="NAME", help="The name of the job; by default that of the script.")
@click.option("--image", default="", metavar="IMAGE", help="The image; needed on a cluster only.")
@click.option("--gpus", type=click.IntRange(min=0), default=0, metavar="N", help="GPUs of each worker.")
@click.option("--cpu", default="", metavar="AMOUNT", help="Processors of each worker: 2, 500m.")
@click.option("--memory", default="", metavar="AMOUNT", help="Memory of each worker: 8Gi.")
@click.option("-e", "--env", "variables", multiple=True, metavar="KEY=VALUE", help="A variable; repeatable.")
@click.option("--data", "claims", multiple=True, metavar="CLAIM:PATH", help="A claim and where it is seen; repeatable.")
@click.option("--queue", default="", metavar="NAME", help="Wait in this queue, and be placed by Corral.")
@click.option("--run-time", callback=seconds_given, metavar="TIME", help="How long it will run, to fill gaps: 90m, 2h.")
@click.option("--nproc-per-node", default="", metavar="auto|cpu|gpu|N", help="Processes of torchrun in each worker.")
@click.option("--checkpoints", is_flag=True, help="It goes on where it was after a stop: it may be moved.")
@click.option("--not-preemptible", "stays", is_flag=True, help="It is never stopped to make room for others.")
@click.option("--python", default="", metavar="PATH", help="Another python of this machine, or its environment.")
@click.option(
    "--code",
    type=click.Choice(["folder", "configmap"]),
    default=None,
    help="Use the folder as it is (on one machine), or send it along (on a cluster).",
)
@click.option("-d", "--detach", "--no-follow", "detach", is_flag=True, help="Return at once, without its output.")
@sending_options
@api_options
def run(script: str, args: tuple[str, ...], detach: bool, **given: Any) -> int:
    """Run a Python script as a job, on one worker or many, and show what it prints.

    \b
    corral run train.py --epochs 3                   one process
    corral run --workers 4 train.py --epochs 3       four that find each other
    corral run --workers 2 --gpus 8 --image my/torch train.py    on a cluster

    No YAML, and on one machine no image: it runs in this folder, with the python that you would run it with. What it is
    for (pytorch, tensorflow, jax, xgboost, mpi, paddle, mxnet) is read from its imports.

    Exits with 0 when it succeeds, with 1 when it fails, with 9 when it is lost to the infrastructure; --propagate exits with
    its own code. Ctrl-C detaches; the job goes on.
    """
    sending = sending_given(given, is_followed=not detach)
    prepared = _prepared(script, args, given)
    for note in prepared.notes:
        tell(f"note: {note}")
    follows = not (detach or sending.wait or sending.quiet or sending.output.name)
    return _sent(prepared, sending, follows=follows)


def _prepared(script: str, args: tuple[str, ...], given: dict[str, Any]) -> "Prepared":
    from corral import assembly
    from corral.assembly.scripts import ScriptWish, prepare_script
    from corral.kinds.submission import spelling

    fields = {field: given[field] for field in _FIELDS if given[field]}
    try:
        fields["env"] = dict(spelling.pair(text) for text in given["variables"])
        fields["claims"] = tuple(spelling.claim(text) for text in given["claims"])
        if given["nproc_per_node"]:
            fields["nproc_per_node"] = spelling.processes(given["nproc_per_node"])
    except ValueError as error:
        raise Mistyped(str(error), "--help, before the script, shows how options are written") from error
    api = chosen_api()
    wish = ScriptWish(script, args, given["framework"], given["python"], given["code"] or "", fields)
    return prepare_script(wish, is_here=assembly.is_this_machine(api.kubeconfig, api.context))


def _sent(prepared: "Prepared", sending: Sending, *, follows: bool) -> int:
    from msgspec.structs import replace

    from corral.control.desk.making.needs import needs_of
    from corral.kinds.submission.catalogue import job_type
    from corral.kinds.submission.objects import objects_of
    from corral.surfaces.cli.submission.reading import refuse_faults

    submission = prepared.submission

    def objects_in(namespace: str) -> "list[Object]":
        placed = replace(submission, namespace=namespace)
        refuse_faults(placed)
        return objects_of(placed)

    def follow(session: "Session", job: "Found") -> int:
        return _followed(session, job, propagate=sending.propagate)

    needs = needs_of(submission)
    resource = job_type(submission.type).facts.resource
    return send(resource, objects_in, needs, sending, then=follow if follows else None)


def _followed(session: "Session", job: "Found", *, propagate: bool) -> int:
    """Shows what a job prints until it ends, and returns the exit status that tells how."""
    from corral.control.desk.jobs.outcome import exit_code_of
    from corral.control.desk.logs.sources import Choice
    from corral.control.desk.waiting import verdict_on
    from corral.surfaces.cli.acts.log_following import follow_job

    try:
        ended = follow_job(session, job, Choice())
    except BrokenPipeError:
        # The reader has left (`corral run train.py | head`), but how the script ends is still asked.
        say_to_nobody()
        tell(f"note: nobody reads the output any more; the end of {job.key.name} is awaited, Ctrl-C leaves it")
        ended = follow_job(session, job, Choice(tail=0))
    waited = verdict_on(ended, "succeeded") if ended is not None else None
    if waited is None:
        return FAILED
    own = exit_code_of(session, job) if propagate and waited.verdict != "reached" else None
    return own or _STATUS[waited.verdict]
