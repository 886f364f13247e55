"""`-A`, wherever objects are looked for: one option, with the spelling that Arena's early versions had."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_EARLY = "--allNamespaces"


class _AllNamespaces(click.Option):
    """Understands the early spelling, and neither shows nor proposes it."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        parser.add_option(self, [_EARLY], self.name, action="store_const", const=True)


def all_namespaces_option(what: str = "Look in all namespaces.") -> Callable[[F], F]:
    """Returns the option by which a command looks in all namespaces."""
    return click.option("-A", "--all-namespaces", "everywhere", cls=_AllNamespaces, is_flag=True, help=what)
