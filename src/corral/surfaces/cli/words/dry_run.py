"""What can stand behind `--dry-run`: `client` shows what would be sent, `server` what the API would make of it."""

from typing import Any

import click

from corral.surfaces.cli.speech.mistyped import Mistyped


class Trial(click.Choice[str]):
    """How a trial is made; a word that only happens to stand behind the flag is an error with the way to write both."""

    def __init__(self) -> None:
        super().__init__(("none", "client", "server"))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the kind of trial."""
        if value not in self.choices:
            raise Mistyped(f"--dry-run is client or server, not {value!r}", "write --dry-run=client", ctx)
        return str(value)
