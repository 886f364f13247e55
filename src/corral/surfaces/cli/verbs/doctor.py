"""`corral doctor`."""

import json

import click

from corral import assembly
from corral.surfaces.cli.exit_codes import DONE, FAILED


@click.command()
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@click.option("--salvage", is_flag=True, help="Rebuild a damaged state file from what is still good in it.")
def doctor(output: str, salvage: bool) -> int:
    """Check this machine and name what is wrong.

    Exits with 0 when nothing failed; warnings do not count as failures. With --salvage nothing is checked: a damaged
    state file is kept under a new name, rebuilt, and what was lost is named.
    """
    findings = assembly.salvage_embedded() if salvage else assembly.diagnose()
    if output == "json":
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        for finding in findings:
            click.echo(f"{finding.level:<5} {finding.subject}: {finding.text}")
            if finding.hint:
                click.echo(f"      hint: {finding.hint}")
    return FAILED if any(finding.level == "fail" for finding in findings) else DONE
