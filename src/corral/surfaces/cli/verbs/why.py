"""`corral why`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.why.situation import Situation
    from corral.kinds.reasons import Reason
    from corral.surfaces.cli.render.terminal import Surroundings


@click.command()
@click.argument("job")
@type_option
@output_option("json", "yaml", "name", "jsonpath=TEMPLATE")
@api_options
def why(job: str, trainer: str, output: OutputForm) -> None:
    """Tell in one sentence why a job waits, runs or has failed, by which evidence, and what helps.

    \b
    corral why digits
    corral why digits -o json          the same as data, with numbers

    Looks at conditions, pods, events, quotas, claims and nodes, as far as your rights go.
    """
    from corral.control.desk.naming.finding import job_or_pod
    from corral.control.desk.why.facts import situation_of
    from corral.control.desk.why.judging import reason_for

    notes: list[str] = []
    with connected() as session:
        found = job_or_pod(session, job, pods=False, trainer=trainer)
        situation = situation_of(session, found, time.time(), on_note=notes.append)
    reason = reason_for(situation)
    if output.is_for_people:
        _show(situation, reason, notes)
    else:
        from corral.surfaces.cli.render.objects import say_data

        say_data(_document(situation, reason, notes), [reason.code], output)


def _show(situation: "Situation", reason: "Reason", notes: list[str]) -> None:
    from corral.surfaces.cli.acts.job_listing import note
    from corral.surfaces.cli.render.columns import Column, laid_out
    from corral.surfaces.cli.render.prose import flowing
    from corral.surfaces.cli.render.terminal import surroundings

    where = surroundings()
    parts = [_headline(situation, reason, where)]
    if reason.evidence:
        rows = [(one.about, " ".join(one.text.split())) for one in reason.evidence]
        shown = [(about if at == 0 or rows[at - 1][0] != about else "", text) for at, (about, text) in enumerate(rows)]
        about = Column[tuple[str, str]]("", lambda row: row[0], is_elastic=True, keeps_end=True)
        text = Column[tuple[str, str]]("", lambda row: row[1], is_prose=True)
        parts.append(laid_out([about, text], shown, where, indent="  "))
    if reason.next_steps:
        steps = (flowing(where.safe(step), where, indent="  ") for step in reason.next_steps)
        parts.append("\n".join(["What helps:", *steps]))
    say_painted("\n\n".join(parts))
    for remark in notes:
        note(remark)


def _headline(situation: "Situation", reason: "Reason", where: "Surroundings") -> str:
    from corral.surfaces.cli.render.colours import painted
    from corral.surfaces.cli.render.prose import flowing

    status = situation.line.status
    text = flowing(f"{situation.name} is {status}: {where.safe(reason.sentence)}", where)
    # Coloured at the end, since colours have no width.
    return text.replace(f"{status}:", f"{painted(status)}:", 1) if where.is_coloured else text


def _document(situation: "Situation", reason: "Reason", notes: list[str]) -> dict[str, object]:
    return {
        "job": situation.job.shown,
        "namespace": situation.job.key.namespace,
        "status": situation.line.status,
        **reason.document(),
        "notes": notes,
    }
