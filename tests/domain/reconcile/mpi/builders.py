"""MPI jobs of both dialects and what a cluster has made of them, for tests of decisions."""

from collections.abc import Sequence
from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.reading import read_job
from corral.reconcile.plan import Create, Delete, EmitEvent, Plan, SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import Report, Settings, World

NOW = 1_800_000_000.0
STAMP = "2027-01-15T08:00:00Z"
UID = "uid-pi"


def template(spec: Object | None = None, **container: Any) -> Object:
    return {"spec": {"containers": [{"name": "mpi", "image": "any", **container}], **(spec or {})}}


def mpi_job(
    workers: int | None = 2, *, launcher: Object | None = None, worker: Object | None = None, **spec: Any
) -> Object:
    """Returns an MPIJob of the first dialect."""
    roles: Object = {"Launcher": {"replicas": 1, "template": launcher or template()}}
    if workers is not None:
        roles["Worker"] = {"replicas": workers, "template": worker or template()}
    metadata = {"name": "pi", "namespace": "ml", "uid": UID, "resourceVersion": "5"}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "MPIJob",
        "metadata": metadata,
        "spec": {"mpiReplicaSpecs": roles, **spec},
    }


def mpi_v2_job(workers: int | None = 2, status: Object | None = None, **spec: Any) -> Object:
    """Returns an MPIJob of the second dialect, as the server has filled it in."""
    given = {
        "mpiImplementation": "OpenMPI",
        "slotsPerWorker": 2,
        "sshAuthMountPath": "/root/.ssh",
        "launcherCreationPolicy": "AtStartup",
        **spec,
    }
    return {**mpi_job(workers, **given), "status": status or {}}


def read(obj: Object) -> TrainingJob:
    return read_job(obj)


def pod(name: str, phase: str = "Running", **options: Any) -> PodView:
    """Returns a pod; options: ready, reason, message, deleting, created, node."""
    metadata: Object = {"name": name, "namespace": "ml", "uid": f"uid-{name}"}
    metadata["creationTimestamp"] = options.get("created", STAMP)
    metadata["labels"] = {"training.kubeflow.org/operator-name": options.get("operator", "mpi-operator")}
    if options.get("deleting"):
        metadata["deletionTimestamp"] = STAMP
    status: Object = {"phase": phase, "reason": options.get("reason", ""), "message": options.get("message", "")}
    if options.get("ready"):
        status["conditions"] = [{"type": "Ready", "status": "True"}]
    spec = {"nodeName": options.get("node", "")}
    return msgspec.convert({"metadata": metadata, "spec": spec, "status": status}, PodView)


def workers(count: int, phase: str = "Running", **options: Any) -> list[PodView]:
    return [pod(f"pi-worker-{index}", phase, **options) for index in range(count)]


def owned(obj: Object) -> Object:
    """Returns an object as the server gives it back."""
    metadata = {**obj["metadata"], "uid": f"uid-{obj['kind']}-{obj['metadata']['name']}", "resourceVersion": "9"}
    return {**obj, "metadata": metadata}


def job_with(launcher: Object, *, ended: str = "", reason: str = "", message: str = "", **status: Any) -> Object:
    """Returns a launcher Job with a status."""
    if ended:
        condition = {"type": ended, "status": "True", "reason": reason, "message": message, "lastTransitionTime": STAMP}
        status["conditions"] = [condition]
        if ended == "Complete":
            status["completionTime"] = STAMP
    return {**launcher, "status": status}


class Cluster:
    """An MPIJob of the second dialect with what its plans have made; pods are put there by the test."""

    def __init__(self, job: Object, settings: Settings | None = None) -> None:
        self.job, self.settings = job, settings or Settings()
        self.companions: list[Object] = []
        self.pods: Sequence[PodView] = ()
        self.launcher_pods: Sequence[PodView] = ()
        self.secrets: list[Object] = []
        self.report: Report | None = None
        self.lost_nodes: dict[str, float] = {}

    def decide(self, now: float = NOW) -> Plan:
        world = World(
            self.job,
            pods=self.pods,
            launcher_pods=self.launcher_pods,
            companions=self.companions,
            settings=self.settings,
            report=self.report,
            lost_nodes=self.lost_nodes,
        )
        return decide(world, now)

    def step(self, now: float = NOW) -> Plan:
        """Carries out what concerns companions and status."""
        plan = self.decide(now)
        for action in plan:
            if isinstance(action, Create) and action.object["kind"] == "Secret":
                self.secrets.append(action.object)
            elif isinstance(action, Create) and action.object["kind"] != "Pod":
                self.companions.append(owned(action.object))
            elif isinstance(action, SetStatus):
                self.job = {**self.job, "status": action.status}
            elif type(action).__name__ == "Update":
                self.put(action.object)  # type: ignore[union-attr]
        return plan

    def put(self, obj: Object) -> None:
        """Replaces a companion."""
        rest = [one for one in self.companions if (one["kind"], name(one)) != (obj["kind"], name(obj))]
        self.companions = [*rest, obj]

    def lose_launcher(self) -> None:
        """Takes the launcher Job away, as a time to live or a hand does."""
        self.companions = [one for one in self.companions if one["kind"] != "Job"]
        self.launcher_pods = ()

    def change(self, **spec: Any) -> None:
        self.job = {**self.job, "spec": {**self.job["spec"], **spec}}

    @property
    def launcher(self) -> Object:
        return next(one for one in self.companions if one["kind"] == "Job")

    @property
    def conditions(self) -> list[tuple[str, str]]:
        return [(one["type"], one["status"]) for one in self.job["status"]["conditions"]]

    @property
    def status(self) -> Object:
        found: Object = self.job["status"]
        return found


def started(**spec: Any) -> Cluster:
    """Returns a job of the second dialect whose objects are made and whose pods run."""
    cluster = Cluster(mpi_v2_job(**spec))
    cluster.step()
    cluster.pods, cluster.launcher_pods = workers(2), [pod("pi-launcher-x")]
    cluster.step()
    return cluster


def name(obj: Object) -> str:
    return str(obj["metadata"]["name"])


def made(plan: Plan, kind: str) -> list[Object]:
    return [one.object for one in plan if isinstance(one, Create) and one.object["kind"] == kind]


def removed(plan: Plan, kind: str = "Pod") -> list[str]:
    return sorted(one.key.name for one in plan if isinstance(one, Delete) and one.resource.kind == kind)


def heard(plan: Plan) -> list[tuple[str, str]]:
    """Returns what people hear when the plan is carried out, apart from what is told of single pods."""
    told = [event for one in plan if isinstance(one, SetStatus) for event in one.told]
    events = [*told, *(one for one in plan if isinstance(one, EmitEvent))]
    return [(one.reason, one.message) for one in events]


def env(container: Object) -> dict[str, str]:
    return {one["name"]: one.get("value", "") for one in container.get("env", [])}
