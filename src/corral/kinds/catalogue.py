"""What a server serves: kinds to resources and back, and the words people use for them."""

from collections.abc import Iterator
from typing import NamedTuple

from corral.errors import PermanentError
from corral.kinds.references import ApiResource, split_api_version


class Served(NamedTuple):
    """One resource as discovery lists it."""

    resource: ApiResource
    singular: str = ""
    short_names: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()


class Catalogue(NamedTuple):
    """Everything a server serves, groups and versions in the server's order of preference."""

    served: tuple[Served, ...]
    unavailable: tuple[str, ...] = ()
    """Group versions that did not answer."""

    def for_kind(self, api_version: str, kind: str) -> ApiResource:
        """Returns the resource of a manifest's apiVersion and kind."""
        group, version = split_api_version(api_version)
        for entry in self.served:
            resource = entry.resource
            if resource.kind == kind and resource.group == group and resource.version == version:
                return resource
        hint = "is its CustomResourceDefinition installed, and the version spelled right?"
        raise PermanentError("unknown-kind", f"the API server does not know {kind} in {api_version}", hint=hint)

    def find(self, word: str) -> Served:
        """Returns what a user means by `pods`, `po`, `Pod`, `deployments.apps` or `jobs.v1.batch`."""
        plain, _, suffix = word.partition(".")
        for entry in self.served:
            if _is_called(entry, plain) and _is_of(entry.resource, suffix):
                return entry
        for entry in self.served:  # a kind or group written in another case
            if _is_called(entry, plain.lower()) and _is_of(entry.resource, suffix):
                return entry
        raise PermanentError("unknown-kind", f'the API server does not have a resource type "{word}"')

    def watchable(self) -> Iterator[ApiResource]:
        """Yields every resource that can be listed and watched, each once, in its preferred version."""
        seen: set[tuple[str, str]] = set()
        for entry in self.served:
            name = (entry.resource.group, entry.resource.plural)
            if name not in seen and {"list", "watch"} <= set(entry.verbs):
                seen.add(name)
                yield entry.resource


def _is_called(entry: Served, word: str) -> bool:
    names = (entry.resource.plural, entry.singular, entry.resource.kind, entry.resource.kind.lower())
    return word in names or word in entry.short_names


def _is_of(resource: ApiResource, suffix: str) -> bool:
    return suffix in ("", resource.group, f"{resource.version}.{resource.group}".rstrip("."))
