"""`corral doctor`."""

import json

import click

from corral import assembly
from corral.surfaces.cli.exit_codes import DONE, FAILED


@click.command()
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
def doctor(output: str) -> int:
    """Check this machine and name what is wrong.

    Exits with 0 when nothing failed; warnings do not count as failures.
    """
    findings = assembly.diagnose()
    if output == "json":
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        for finding in findings:
            click.echo(f"{finding.level:<5} {finding.subject}: {finding.text}")
            if finding.hint:
                click.echo(f"      hint: {finding.hint}")
    return FAILED if any(finding.level == "fail" for finding in findings) else DONE
