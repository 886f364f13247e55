"""What a test of controllers is given: a client, a namespace of its own, and bounded waiting."""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object, is_deleting, matches_labels
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import GENTLY, DeleteOptions, Patch, Scope
from corral.ports.refusals import NotFoundError

T = TypeVar("T")

LIMIT = 120.0


class Cluster(NamedTuple):
    """An API with controllers: the embedded one with ours, or a real one with kube-controller-manager."""

    client: SyncClient
    namespace: str
    is_real: bool

    def make(self, resource: ApiResource, name: str, **fields: object) -> Object:
        """Creates an object in the namespace of the test."""
        metadata = {"name": name, **fields.pop("metadata", {})}  # type: ignore[dict-item]
        if resource.namespaced:
            metadata.setdefault("namespace", self.namespace)
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **fields}
        return self.client.create(resource, obj)

    def find(self, resource: ApiResource, name: str) -> Object | None:
        """Returns an object, None when there is none."""
        namespace = self.namespace if resource.namespaced else ""
        try:
            return self.client.get(resource, ObjectKey(namespace, name))
        except NotFoundError:
            return None

    def get(self, resource: ApiResource, name: str) -> Object:
        """Returns an object that must be there."""
        found = self.find(resource, name)
        assert found is not None, f"there is no {resource} {name}"
        return found

    def change(self, resource: ApiResource, name: str, body: Object, subresource: str = "") -> Object:
        """Merges into an object."""
        key = ObjectKey(self.namespace if resource.namespaced else "", name)
        return self.client.patch(resource, key, Patch("merge", body), subresource=subresource)

    def delete(self, resource: ApiResource, name: str, options: DeleteOptions = GENTLY) -> None:
        """Asks for deletion."""
        self.client.delete(resource, ObjectKey(self.namespace if resource.namespaced else "", name), options)

    def all(self, resource: ApiResource) -> list[Object]:
        """Returns the objects of the namespace."""
        return self.client.list(resource, Scope(self.namespace))

    def pods(self, **labels: str) -> list[Object]:
        """Returns the pods that nobody has deleted, by name."""
        wanted = {name.replace("_", "-"): value for name, value in labels.items()}
        found = [pod for pod in self.all(POD) if matches_labels(pod["metadata"].get("labels") or {}, wanted)]
        return sorted((pod for pod in found if not is_deleting(pod)), key=lambda pod: str(pod["metadata"]["name"]))

    def wait(self, look: Callable[[], T], until: Callable[[T], object] = bool, within: float = LIMIT) -> T:
        """Returns what `look` sees as soon as it is as it should be; fails with the last sight when time is up."""
        deadline = time.monotonic() + within
        while True:
            seen = look()
            if until(seen):
                return seen
            assert time.monotonic() < deadline, f"not within {within:g} s; last seen: {seen}"
            time.sleep(0.03)

    def wait_status(self, resource: ApiResource, name: str, within: float = LIMIT, **wanted: object) -> Object:
        """Returns the object once its status has these fields."""

        def fits(obj: Object) -> bool:
            status = obj.get("status") or {}
            return all((status.get(field) or 0) == value for field, value in wanted.items())

        return self.wait(lambda: self.get(resource, name), fits, within)

    def wait_gone(self, resource: ApiResource, name: str, within: float = LIMIT) -> None:
        """Returns when the object is gone."""
        self.wait(lambda: self.find(resource, name), lambda found: found is None, within)

    def stays(self, look: Callable[[], T], until: Callable[[T], object], rounds: int = 10) -> None:
        """Makes sure that something remains true over a number of looks."""
        for _ in range(rounds):
            seen = look()
            assert until(seen), f"no longer: {seen}"
            time.sleep(0.03)
