"""The catalog: every resource that is served right now, built-in or defined by a user."""

from collections.abc import Iterable, Iterator

from corral.engine.apiserver.resources.resource import Resource


class Catalog:
    """Resources by group, version and plural; custom ones come and go with their definitions."""

    def __init__(self, builtin: Iterable[Resource]) -> None:
        self._builtin = tuple(builtin)
        self._custom: dict[str, tuple[Resource, ...]] = {}
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        self._versions: set[tuple[str, str]] = set()
        self.generation = 0
        self._index()

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Returns the resource served under a path, or None."""
        return self._by_path.get((group, version, plural))

    def serves(self, group: str, version: str) -> bool:
        """Says whether anything is served under a group and version."""
        return (group, version) in self._versions

    def define(self, definition: str, resources: Iterable[Resource]) -> None:
        """Serves the resources of a custom resource definition, in place of those it had before."""
        self._custom[definition] = tuple(resources)
        self._index()

    def forget(self, definition: str) -> None:
        """Stops serving what a custom resource definition had defined."""
        self._custom.pop(definition, None)
        self._index()

    def builtin(self) -> tuple[Resource, ...]:
        """Returns the built-in resources in their order."""
        return self._builtin

    def __iter__(self) -> Iterator[Resource]:
        yield from self._builtin
        for resources in self._custom.values():
            yield from resources

    def storage_keys(self) -> set[str]:
        """Returns where objects of served resources rest."""
        return {r.storage_key for r in self}

    def _index(self) -> None:
        self._by_path = {(r.group, r.version, r.plural): r for r in self}
        self._versions = {(r.group, r.version) for r in self}
        self.generation += 1
