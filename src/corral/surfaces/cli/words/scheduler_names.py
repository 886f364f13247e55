"""Whose pods are placed."""

import click

schedulers_option = click.option(
    "--scheduler",
    "schedulers",
    multiple=True,
    metavar="NAME",
    help="Whose pods are placed, by spec.schedulerName; by default those of Corral's own scheduler.",
)
