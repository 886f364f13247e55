"""One submitted job, as a test follows it: its pods, its status, its events, and the phases that the test writes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from corral.kinds.objects import Object, is_deleting
from corral.kinds.references import ApiResource
from corral.kinds.well_known import EVENT, POD, SERVICE
from corral.ports.object_store import DeleteOptions, Scope
from tests.training.kubelet_words import Ending, status_of
from tests.training.manifests import FACTS

if TYPE_CHECKING:
    from tests.training.stage import Stage


class JobOnStage:
    """A job by kind, name and uid; pods are named by what follows the job's name, such as `worker-0`."""

    def __init__(self, stage: "Stage", kind: str, name: str, uid: str, version: str = "v1") -> None:
        self.stage = stage
        self.kind = kind
        self.name = name
        self.uid = uid
        self.facts = FACTS[kind]
        self.resource = ApiResource("kubeflow.org", version, kind, self.facts.plural)

    # --- reading ---

    def read(self) -> Object:
        """Returns the job as it is now."""
        return self.stage.get(self.resource, self.name)

    def status(self) -> Object:
        """Returns the status, empty when there is none."""
        return (self.stage.find(self.resource, self.name) or {}).get("status") or {}

    def conditions(self) -> list[tuple[str, str]]:
        """Returns type and status of each condition, in order."""
        return [(one["type"], one["status"]) for one in self.status().get("conditions") or []]

    def states(self) -> list[str]:
        """Returns the conditions as `Running=True`."""
        return [f"{kind}={status}" for kind, status in self.conditions()]

    def condition(self, kind: str) -> Object:
        """Returns the condition of a type, which must be there."""
        found = [one for one in self.status().get("conditions") or [] if one["type"] == kind]
        assert len(found) == 1, f"not one condition {kind}: {self.status()}"
        return dict(found[0])

    def replica_status(self, role: str) -> Object:
        """Returns the counts of a role, without the selector."""
        found = (self.status().get("replicaStatuses") or {}).get(role) or {}
        return {key: value for key, value in found.items() if key != "selector"}

    def pods(self) -> list[str]:
        """Returns which pods of the job there are, without those being deleted."""
        return self._children(POD)

    def services(self) -> list[str]:
        """Returns which services of the job there are."""
        return self._children(SERVICE)

    def pod(self, short: str) -> Object:
        """Returns a pod that must be there."""
        return self.stage.get(POD, self.full(short))

    def service(self, short: str) -> Object:
        """Returns a service that must be there."""
        return self.stage.get(SERVICE, self.full(short))

    def full(self, short: str) -> str:
        """Returns the whole name of a pod."""
        return f"{self.name}-{short}"

    def uid_of(self, short: str) -> str:
        """Returns the uid of a pod, "" when there is none or it is being deleted."""
        pod = self.stage.find(POD, self.full(short))
        return "" if pod is None or is_deleting(pod) else str(pod["metadata"]["uid"])

    def env_of(self, short: str, container: str = "") -> dict[str, str]:
        """Returns the plain variables of a container; the last of a name counts, as for a kubelet."""
        return {one["name"]: one["value"] for one in self.env_list(short, container) if "value" in one}

    def env_list(self, short: str, container: str = "") -> list[Object]:
        """Returns the variables of a container in order; of the training container unless another is named."""
        wanted = container or self.facts.container
        found = [one for one in self.pod(short)["spec"]["containers"] if one["name"] == wanted]
        return list(found[0].get("env") or [])

    def events(self, reason: str = "") -> list[Object]:
        """Returns the events about this job, of one reason or of all."""
        selector = Scope(self.stage.namespace, fields=f"involvedObject.uid={self.uid}")
        found = self.stage.client.list(EVENT, selector)
        return [one for one in found if not reason or one["reason"] == reason]

    def messages(self, reason: str) -> set[str]:
        """Returns what the events of a reason say."""
        return {str(one["message"]) for one in self.events(reason)}

    # --- acting ---

    def change(self, spec: Object) -> Object:
        """Merges into the spec."""
        return self.stage.change(self.resource, self.name, {"spec": spec})

    def set_run_policy(self, **fields: Any) -> None:
        """Merges into the run policy."""
        self.change({"runPolicy": fields})

    def scale(self, role: str, replicas: int) -> None:
        """Sets the number of replicas of a role."""
        self.change({self.facts.map_field: {role: {"replicas": replicas}}})

    def delete(self, options: DeleteOptions | None = None) -> None:
        """Asks for deletion of the job."""
        self.stage.delete(self.resource, self.name, options or DeleteOptions(propagation="Background"))

    def delete_pod(self, short: str) -> None:
        """Asks for deletion of a pod."""
        self.stage.delete(POD, self.full(short))

    def set_phase(
        self, short: str, phase: str, exit_code: int | None = None, *, pod_reason: str = "", **ending: Any
    ) -> None:
        """Says, as a kubelet would, what became of a pod; a Succeeded one ended with 0 unless told otherwise."""
        code = 0 if phase == "Succeeded" and exit_code is None else exit_code
        name = self.full(short)
        pod = self.stage.wait(lambda: self.stage.find(POD, name))
        assert pod is not None
        said = status_of(pod, phase, self.facts.container, Ending(code, **ending), pod_reason)
        self.stage.change(POD, name, {"status": said}, "status")

    def run(self, *shorts: str) -> None:
        """Lets pods run; all of the job when none is named."""
        for short in shorts or self.pods():
            self.set_phase(short, "Running")

    # --- waiting ---

    def wait_pods(self, *shorts: str) -> list[str]:
        """Returns when the job has exactly these pods."""
        return self.stage.wait(self.pods, lambda seen: seen == sorted(shorts))

    def wait_services(self, *shorts: str) -> list[str]:
        """Returns when the job has exactly these services."""
        return self.stage.wait(self.services, lambda seen: seen == sorted(shorts))

    def wait_states(self, *wanted: str, within: float = 60.0) -> Object:
        """Returns the status once its conditions are exactly these; `Created` is short for `Created=True`."""
        full = [one if "=" in one else f"{one}=True" for one in wanted]
        self.stage.wait(self.states, lambda seen: seen == full, within=within)
        return self.status()

    def wait_state(self, wanted: str) -> Object:
        """Returns the status once this is among its conditions."""
        full = wanted if "=" in wanted else f"{wanted}=True"
        self.stage.wait(self.states, lambda seen: full in seen)
        return self.status()

    def wait_counts(self, role: str, **counts: int) -> None:
        """Returns when the counts of a role are exactly these; zeros are left out."""
        self.stage.wait(lambda: self.replica_status(role), lambda seen: seen == counts)

    def wait_event(self, reason: str, message: str) -> Object:
        """Returns the event of a reason with this message."""
        found = self.stage.wait(
            lambda: self.events(reason), lambda seen: any(one["message"] == message for one in seen)
        )
        return next(one for one in found if one["message"] == message)

    def wait_replaced(self, short: str, old: str) -> None:
        """Returns when a pod of this name with another uid is there."""
        self.stage.wait(lambda: self.uid_of(short), lambda uid: uid not in ("", old))

    def wait_gone(self) -> None:
        """Returns when the job is gone."""
        self.stage.wait_gone(self.resource, self.name)

    def never(self, *unwanted: str) -> None:
        """Makes sure that none of these conditions is there, over a number of looks."""
        full = {one if "=" in one else f"{one}=True" for one in unwanted}
        self.stage.stays(self.states, lambda seen: not full.intersection(seen))

    def wait_status(self, fits: Callable[[Object], object]) -> Object:
        """Returns the status once it is as it should be."""
        return self.stage.wait(self.status, fits)

    def _children(self, resource: ApiResource) -> list[str]:
        owned = [
            one["metadata"]["name"].removeprefix(f"{self.name}-")
            for one in self.stage.all(resource)
            if any(owner["uid"] == self.uid for owner in one["metadata"].get("ownerReferences") or [])
        ]
        return sorted(owned)
