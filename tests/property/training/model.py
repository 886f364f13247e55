"""A cluster small enough to be checked at every step: one job, its pods and services, and a crash between any two writes.

It carries out the real decisions and does to pods what nodes, users and schedulers do. It is no server: nothing here
refuses, delays or reorders; the sweeps against real servers do that.
"""

from typing import Any

import msgspec

from corral.kinds.objects import MetadataOnly, Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, Create, Delete, LookAgainAfter, Plan, SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.labels import ATTEMPT, REPLICA_INDEX, REPLICA_TYPE
from corral.reconcile.training.world import World

TERMINAL = ("Succeeded", "Failed")


class Cluster:
    """The state, and everything that can happen to it."""

    def __init__(self, job: Object) -> None:
        self.job = job
        self.is_gone = False
        self.pods: dict[str, Object] = {}
        self.services: dict[str, Object] = {}
        self.lost: dict[str, float] = {}
        self.now = 1_000_000.0
        self.made = 0
        self.unexplained: list[str] = []
        """Failed pods that were replaced although nobody had written down why."""

    # --- what the operator does ---

    def look(self, writes: int | None = None) -> int:
        """Decides once and carries out the plan, or only its first writes: then the operator has crashed."""
        plan = self.plan()
        done = 0
        for action in plan:
            if isinstance(action, Create | Delete | SetStatus):
                if writes is not None and done >= writes:
                    break
                self._carry_out(action)
                done += 1
        return done

    def plan(self) -> Plan:
        """Returns what the operator would do now."""
        return Plan() if self.is_gone else decide(self.world(), self.now)

    def world(self) -> World:
        """Returns what the operator sees."""
        pods = [msgspec.convert(one, PodView) for one in self.pods.values()]
        services = [msgspec.convert(one, MetadataOnly) for one in self.services.values()]
        return World(self.job, tuple(pods), tuple(services), lost_nodes=dict(self.lost))

    def settle(self) -> int:
        """Looks until nothing is written any more; returns after how many looks."""
        for count in range(1, 30):
            if self.look() == 0:
                return count
        raise AssertionError(f"never quiet: {self.plan()}")

    def _carry_out(self, action: Action) -> None:
        match action:
            case SetStatus():
                self.job["status"] = action.status
            case Create():
                held = self.pods if action.resource.kind == "Pod" else self.services
                name = action.object["metadata"]["name"]
                if name not in held:
                    self.made += 1
                    metadata = {**action.object["metadata"], "uid": f"uid-{self.made}"}
                    held[name] = {"metadata": metadata, "spec": {"nodeName": ""}, "status": {"phase": "Pending"}}
            case Delete(resource=resource, key=key) if resource.kind == "Pod":
                self._note_removal(self.pods[key.name])
                self._end(key.name, at_once=action.grace_seconds == 0)
            case Delete(resource=resource, key=key) if resource.kind == "Service":
                self.services.pop(key.name, None)
            case Delete():
                self.is_gone = True

    def _note_removal(self, pod: Object) -> None:
        uid, told = pod["metadata"]["uid"], {one.get("podUid") for one in self.status.get("failures", [])}
        if pod["status"]["phase"] == "Failed" and uid not in told and self._is_replaced(pod):
            self.unexplained.append(uid)

    def _is_replaced(self, pod: Object) -> bool:
        """Whether a pod goes in order to be made anew, and not because the job ended, sleeps, shrank or began anew."""
        if self.end_state or self.job["spec"]["runPolicy"].get("suspend"):
            return False
        labels, attempt = pod["metadata"]["labels"], pod["metadata"].get("annotations", {}).get(ATTEMPT, "0")
        roles = read_job(self.job).roles.values()
        counts = {one.role.lower(): one.count for one in roles}
        is_wanted = int(labels[REPLICA_INDEX]) < counts[labels[REPLICA_TYPE]]
        return is_wanted and int(attempt) >= self.status.get("attempt", 0) - 1

    # --- what nodes and people do ---

    def run(self, name: str, node: str = "n1") -> None:
        """Starts a pod."""
        if name in self.pods and self.pods[name]["status"]["phase"] == "Pending":
            self.pods[name]["spec"]["nodeName"] = node
            self.pods[name]["status"] = {"phase": "Running"}

    def end(self, name: str, container: str, code: int) -> None:
        """Ends the program of a running pod."""
        if name in self.pods and self.pods[name]["status"]["phase"] == "Running":
            state: Any = {"terminated": {"exitCode": code}}
            phase = "Failed" if code else "Succeeded"
            self.pods[name]["status"] = {"phase": phase, "containerStatuses": [{"name": container, "state": state}]}

    def delete(self, name: str) -> None:
        """Asks for the deletion of a pod, as a person or a drain does."""
        if name in self.pods:
            self._end(name, at_once=False)

    def confirm(self) -> None:
        """Lets the nodes that are there confirm every deletion."""
        for name, pod in list(self.pods.items()):
            if pod["metadata"].get("deletionTimestamp") and pod["spec"]["nodeName"] not in self.lost:
                del self.pods[name]

    def _end(self, name: str, *, at_once: bool) -> None:
        pod = self.pods[name]
        if at_once or pod["status"]["phase"] == "Pending":
            del self.pods[name]
        else:
            pod["metadata"]["deletionTimestamp"] = stamp_of(self.now)

    # --- what can be seen ---

    @property
    def status(self) -> Object:
        """Returns the status of the job."""
        return self.job.get("status") or {}

    @property
    def end_state(self) -> str:
        """Returns the condition that ended the job, or nothing."""
        found = [one["type"] for one in self.status.get("conditions", []) if one["status"] == "True"]
        return next((kind for kind in found if kind in TERMINAL), "")

    @property
    def timers(self) -> list[float]:
        """Returns after how many seconds the operator wants to look again."""
        return [action.seconds for action in self.plan() if isinstance(action, LookAgainAfter)]
