"""How objects and their resources are named: the words that plans, ports and clients share.

An `ApiResource` is one row of a server's discovery; an `ObjectKey` is a name inside it. Names can be reused, so a key
says where to look and the uid says whether it is still the same object.
"""

from typing import NamedTuple


class ApiResource(NamedTuple):
    """One kind in one version, with what is needed to build its path."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """Returns `v1` or `apps/v1`, the way manifests write it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """Returns `pods` or `deployments.apps`, the way messages name a resource."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def __str__(self) -> str:
        return self.qualified


class ObjectKey(NamedTuple):
    """Where an object is found inside its resource; the namespace is empty for cluster-wide ones."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Identity(NamedTuple):
    """Which object this is, and in which version: the part of metadata that a replica lives on."""

    namespace: str
    name: str
    uid: str
    version: str

    @property
    def key(self) -> ObjectKey:
        """Returns the place without the version."""
        return ObjectKey(self.namespace, self.name)


def split_api_version(api_version: str) -> tuple[str, str]:
    """Returns (group, version) of `v1` or `apps/v1`."""
    group, _, version = api_version.rpartition("/")
    return group, version
