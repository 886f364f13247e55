"""A cluster of values: it carries out plans at once and lets a test play kubelet, user and bad luck."""

from typing import Any

import msgspec

from corral.kinds.objects import Metadata, MetadataOnly, Object
from corral.kinds.pod_view import PodView
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, Create, Delete, EmitEvent, LookAgainAfter, Patch, Plan, SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.training_builders import NOW

MOST_LOOKS = 8
ENDED = ("Succeeded", "Failed")


class SmallCluster:
    """One job, its pods by name and its services."""

    def __init__(self, job: Object) -> None:
        self.job = job
        self.pods: dict[str, Object] = {}
        self.services: set[str] = set()
        self.lost: dict[str, float] = {}
        self.now = NOW
        self.history: list[Action] = []
        self._made = 0

    def rest(self) -> Plan:
        """Looks at the job until nothing is left to do, and returns the last plan; it must come soon."""
        for _ in range(MOST_LOOKS):
            plan = decide(self.world(), self.now)
            for action in plan:
                self._carry_out(action)
            if all(isinstance(one, LookAgainAfter | EmitEvent) for one in plan):
                return plan
        raise AssertionError(f"no rest after {MOST_LOOKS} looks: {plan}")

    def world(self) -> World:
        """Returns what the operator sees."""
        services = [MetadataOnly(metadata=Metadata(name=one, uid=f"uid-{one}")) for one in sorted(self.services)]
        return World(self.job, self.views(), services, lost_nodes=dict(self.lost))

    def views(self) -> list[PodView]:
        """Returns the pods as the operator sees them."""
        return [msgspec.convert(self.pods[name], PodView) for name in sorted(self.pods)]

    def set_phase(self, name: str, phase: str, exit_code: int | None = None) -> None:
        """Plays the kubelet: a pod that has ended does not begin again, and a lost node says nothing."""
        status = self.pods[name]["status"]
        if status["phase"] in ENDED or self.pods[name]["spec"]["nodeName"] in self.lost:
            return
        state: Object = {} if exit_code is None else {"terminated": {"exitCode": exit_code}}
        status |= {"phase": phase, "containerStatuses": [{"name": "pytorch", "state": state}]}

    def delete(self, name: str, grace: int | None = None) -> None:
        """Asks for the end of a pod; what has not ended takes its time, until its node has said so."""
        pod = self.pods[name]
        if grace == 0 or pod["status"]["phase"] in ENDED:
            del self.pods[name]
        else:
            pod["metadata"].setdefault("deletionTimestamp", stamp_of(self.now))

    def reap(self) -> None:
        """Lets pods that were asked to go be gone, where there is a node to say so."""
        for name, pod in list(self.pods.items()):
            if "deletionTimestamp" in pod["metadata"] and pod["spec"]["nodeName"] not in self.lost:
                del self.pods[name]

    def _carry_out(self, action: Action) -> None:
        self.history.append(action)
        match action:
            case Create(resource=resource, object=made) if resource.kind == "Service":
                self.services.add(made["metadata"]["name"])
            case Create(object=made):
                self._add(made)
            case Delete(resource=resource, key=key) if resource.kind == "Service":
                self.services.discard(key.name)
            case Delete(resource=resource, key=key, uid=uid) if resource.kind == "Pod":
                assert self.pods[key.name]["metadata"]["uid"] == uid
                self.delete(key.name, action.grace_seconds)
            case SetStatus(status=status):
                self.job = {**self.job, "status": status}
            case EmitEvent() | LookAgainAfter() | Patch():
                pass
            case _:
                raise AssertionError(action)

    def _add(self, made: Object) -> None:
        name = made["metadata"]["name"]
        assert name not in self.pods, f"a second {name}"
        self._made += 1
        metadata: dict[str, Any] = {**made["metadata"], "uid": f"uid-{self._made}"}
        self.pods[name] = {
            "metadata": metadata,
            "spec": {"nodeName": f"node-{self._made % 3}"},
            "status": {"phase": "Pending"},
        }
