"""`corral doctor`."""

import click

from corral import assembly
from corral.surfaces.cli.connection import api_options, chosen_api
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.output import say
from corral.surfaces.cli.speech.exit_codes import DONE, FAILED
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option


@click.command()
@output_option(*DATA_FORMS)
@click.option("--salvage", is_flag=True, help="Rebuild a damaged state file from what is still good in it.")
@api_options
def doctor(output: OutputForm, salvage: bool) -> int:
    """Check this machine and the API, and name what is wrong.

    \b
    corral doctor
    corral doctor --context prod -n vision

    Looks at Python, the disk, Corral's home and processes; and at the API that commands talk to: whether it answers, serves the
    training kinds, lets you do what jobs need, and has an operator and nodes. Nothing is started and nothing changed.

    Exits with 0 when nothing failed; warnings do not count as failures. With --salvage nothing is checked: a damaged state
    file is kept under a new name, rebuilt, and what was lost is named.
    """
    findings = assembly.salvage_embedded() if salvage else assembly.diagnose(**chosen_api()._asdict())
    if not output.is_for_people:
        say_data([finding._asdict() for finding in findings], [finding.subject for finding in findings], output)
    else:
        for finding in findings:
            say(f"{finding.level:<5} {finding.subject}: {finding.text}")
            if finding.hint:
                say(f"      hint: {finding.hint}")
    return FAILED if any(finding.level == "fail" for finding in findings) else DONE
