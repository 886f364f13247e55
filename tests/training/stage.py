"""What a test of training jobs is given: a namespace of its own on a server with an operator, and hands to play kubelet.

    job = stage.submit("TFJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    job.set_phase("worker-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")

Every wait is bounded and ends at the first sight of what it waits for.
"""

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object, is_deleting
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import GENTLY, DeleteOptions, Patch, Scope
from corral.ports.refusals import NotFoundError
from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import FACTS, manifest

T = TypeVar("T")

LIMIT = 60.0
STEADY_LOOKS = 12


class Stage:
    """One namespace of one server; `warnings` collects what the server warned about."""

    def __init__(self, client: SyncClient, namespace: str, *, is_real: bool, warnings: list[str]) -> None:
        self.client = client
        self.namespace = namespace
        self.is_real = is_real
        self.warnings = warnings

    # --- jobs ---

    def submit(self, kind: str, name: str = "job", roles: Object | None = None, **given: Any) -> JobOnStage:
        """Creates a job; see `manifests.manifest` for what may be given."""
        return self.send(manifest(kind, name, roles, **given))

    def send(self, obj: Object) -> JobOnStage:
        """Creates a job from a whole manifest."""
        version = obj["apiVersion"].partition("/")[2]
        made = self.client.create(job_resource(obj["kind"], version), self._placed(obj))
        return JobOnStage(self, obj["kind"], made["metadata"]["name"], made["metadata"]["uid"], version)

    # --- any object ---

    def make(self, resource: ApiResource, name: str, **fields: Any) -> Object:
        """Creates an object in the namespace of the test."""
        metadata = {"name": name, **fields.pop("metadata", {})}
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **fields}
        return self.client.create(resource, self._placed(obj))

    def find(self, resource: ApiResource, name: str) -> Object | None:
        """Returns an object, None when there is none."""
        try:
            return self.client.get(resource, ObjectKey(self.namespace, name))
        except NotFoundError:
            return None

    def get(self, resource: ApiResource, name: str) -> Object:
        """Returns an object that must be there."""
        found = self.find(resource, name)
        assert found is not None, f"there is no {resource.plural} {name}"
        return found

    def all(self, resource: ApiResource) -> list[Object]:
        """Returns the objects of the namespace that nobody has deleted, by name."""
        found = [one for one in self.client.list(resource, Scope(self.namespace)) if not is_deleting(one)]
        return sorted(found, key=lambda one: str(one["metadata"]["name"]))

    def names(self, resource: ApiResource) -> list[str]:
        """Returns the names of the objects of the namespace that nobody has deleted."""
        return [one["metadata"]["name"] for one in self.all(resource)]

    def change(self, resource: ApiResource, name: str, body: Object, subresource: str = "") -> Object:
        """Merges into an object."""
        key = ObjectKey(self.namespace, name)
        return self.client.patch(resource, key, Patch("merge", body), subresource=subresource)

    def delete(self, resource: ApiResource, name: str, options: DeleteOptions = GENTLY) -> None:
        """Asks for deletion."""
        self.client.delete(resource, ObjectKey(self.namespace, name), options)

    def hold(self, pod: str) -> None:
        """Lets a pod that is deleted stay, terminating, as on a node that does not answer."""
        self.change(POD, pod, {"metadata": {"finalizers": ["example.com/held"]}})

    def let_go(self, pod: str) -> None:
        """Ends a hold."""
        self.change(POD, pod, {"metadata": {"finalizers": None}})

    # --- waiting ---

    def wait(self, look: Callable[[], T], until: Callable[[T], object] = bool, within: float = LIMIT) -> T:
        """Returns what `look` sees as soon as it is as it should be; fails with the last sight when time is up."""
        deadline = time.monotonic() + within
        while True:
            seen = look()
            if until(seen):
                return seen
            assert time.monotonic() < deadline, f"not within {within:g} s; last seen: {json.dumps(seen, default=str)}"
            time.sleep(0.02)

    def wait_gone(self, resource: ApiResource, name: str) -> None:
        """Returns when the object is gone."""
        self.wait(lambda: self.find(resource, name), lambda found: found is None)

    def stays(self, look: Callable[[], T], as_it_is: Callable[[T], object]) -> None:
        """Makes sure that something is true, and remains so over a number of looks."""
        for _ in range(STEADY_LOOKS):
            seen = look()
            assert as_it_is(seen), f"no longer: {json.dumps(seen, default=str)}"
            time.sleep(0.03)

    def settled(self) -> None:
        """Returns when the operator has certainly looked at everything that was written before.

        A job submitted now is seen after all earlier changes; once its pod is there, the queue was worked through.
        """
        probe = self.submit("JAXJob", f"probe-{time.monotonic_ns()}", roles={"Worker": 1})
        probe.wait_pods("worker-0")
        probe.delete()
        self.wait_gone(probe.resource, probe.name)

    def _placed(self, obj: Object) -> Object:
        return {**obj, "metadata": {**obj["metadata"], "namespace": self.namespace}}


def job_resource(kind: str, version: str = "v1") -> ApiResource:
    """Returns the API resource of a training kind."""
    facts = FACTS[kind]
    return ApiResource("kubeflow.org", version, kind, facts.plural)
