"""Whether the loops are well: small verdicts that a probe adds up and a person can read."""

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Verdict(NamedTuple):
    """One part's own judgement of itself."""

    part: str
    is_well: bool
    detail: str


class Health:
    """Asks every registered part; the whole is well when all are."""

    def __init__(self) -> None:
        self._sources: list[Callable[[], Iterable[Verdict]]] = []

    def add(self, source: Callable[[], Iterable[Verdict]]) -> None:
        """Asks `source` as well from now on."""
        self._sources.append(source)

    def verdicts(self) -> list[Verdict]:
        """Returns all judgements, the bad ones first."""
        found = [verdict for source in self._sources for verdict in source()]
        return sorted(found, key=lambda verdict: verdict.is_well)

    @property
    def is_well(self) -> bool:
        """Whether every part is well."""
        return all(verdict.is_well for verdict in self.verdicts())
