"""Taking a snapshot of the chosen cluster, and telling what a scheduler would make of one."""

import time
from typing import TYPE_CHECKING, Any

from corral.surfaces.cli.acts.job_listing import note
from corral.surfaces.cli.connection import connected
from corral.surfaces.cli.render.output import say
from corral.surfaces.cli.words.output_form import OutputForm

if TYPE_CHECKING:
    from corral.control.scheduling.scenes.snapshot import Snapshot


def taken_snapshot(schedulers: tuple[str, ...]) -> "Snapshot":
    """Returns the chosen cluster as the named schedulers read it, or as ours does; what the rights forbid is told."""
    from corral.control.desk.cluster.scheduling import snapshot_of
    from corral.control.scheduling.orders import names_of_one_machine
    from corral.kinds.scheduling.names import OUR_NAMES

    with connected() as session:
        names = frozenset(schedulers) or (names_of_one_machine() if session.is_embedded else OUR_NAMES)
        return snapshot_of(session, names, time.time(), on_note=note)


def say_what_if(snapshot: "Snapshot", given: dict[str, Any]) -> None:
    """Simulates a snapshot with what was given on the command line, and says what came out."""
    from corral import assembly

    output: OutputForm = given.pop("output")
    report = assembly.simulate_snapshot(
        snapshot, assembly.SnapshotFlags(**{**given, "add_nodes": given["add_nodes"] or 0})
    )
    if output.is_for_people:
        from corral.surfaces.cli.render.what_if import what_if_summary

        say(what_if_summary(report))
    else:
        from corral.surfaces.cli.render.objects import say_data

        say_data(report, [f"policy/{report['policy']}"], output)
