"""`corral status`."""

import click

from corral import assembly
from corral.kinds.spans import span
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.plain import size, table
from corral.surfaces.cli.speech.exit_codes import DEGRADED, DONE, NOT_RUNNING
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option


@click.command()
@output_option(*DATA_FORMS)
def status(output: OutputForm) -> int:
    """Show what runs, and how it is.

    Exits with 0 when Corral runs well, with 3 when it does not run, and with 4 when a process has failed or the API
    does not answer as it should.
    """
    overview = assembly.embedded_overview()
    if output.is_for_people:
        click.echo(as_text(overview))
    else:
        say_data(overview.document(), [process.name for process in overview.processes], output)
    if not overview.is_running:
        return NOT_RUNNING
    return DEGRADED if overview.problems else DONE


def as_text(overview: "assembly.Overview") -> str:
    """Returns the overview for people."""
    if not overview.is_running:
        lines = [f"Corral is not running ({overview.home})"]
        if overview.orphans:
            left = ", ".join(f"{name} (pid {pid})" for name, pid in overview.orphans)
            lines.append(f"left behind by a killed supervisor: {left}")
            lines.append("hint: `corral up` takes over, `corral down` ends them")
        return "\n".join(lines)
    rows = [("PROCESS", "STATE", "PID", "AGE", "RESTARTS", "MEMORY", "LAST END")]
    rows += [
        (
            p.name,
            p.state,
            str(p.pid or "-"),
            span(p.age),
            str(p.restarts),
            size(p.memory) if p.memory else "-",
            p.last_exit,
        )
        for p in overview.processes
    ]
    facts = [("address", overview.address), ("API", overview.api), ("home", overview.home)]
    if overview.objects is not None:
        facts.append(("objects", str(overview.objects)))
    facts.append(("state", size(overview.state_bytes)))
    problems = [f"problem: {problem.text}\nhint: {problem.hint}" for problem in overview.problems]
    return "\n\n".join([table(facts), table(rows), *problems])
