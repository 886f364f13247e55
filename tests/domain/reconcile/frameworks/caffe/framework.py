"""Caffe over MPI: mpirun in the launcher finds the workers in a host file and starts a process in each slot."""

from collections.abc import Sequence

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.framework import Framework, Setting, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active
from corral.reconcile.training.labels import job_labels
from tests.domain.reconcile.frameworks.caffe.kind import CAFFE_JOB

FOLDER = "/etc/caffe"


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Tells mpirun where its host file is; workers only wait for it and need to know nothing."""
    if place.role != "Launcher":
        return ()
    return (
        variable("OMPI_MCA_orte_default_hostfile", f"{FOLDER}/hostfile"),
        variable("CAFFE_PROCESSES", job.count("Worker") * job.spec.slots_per_worker),
    )


def companions(job: TrainingJob, pods: Sequence[PodView]) -> Sequence[Object]:
    """Asks for a ConfigMap with the host file; every worker has a service of its name, so names are addresses."""
    names = [job.child_name("Worker", index) for index in range(job.count("Worker"))]
    hosts = "".join(f"{name} slots={job.spec.slots_per_worker}\n" for name in names)
    metadata = {"name": hosts_name(job), "namespace": job.namespace, "labels": job_labels(job)}
    return ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"hostfile": hosts}},)


def hosts_name(job: TrainingJob) -> str:
    """Returns the name of the ConfigMap."""
    return f"{job.name}-hosts"


def dress(job: TrainingJob, place: Place, pod: Object, setting: Setting) -> None:
    """Mounts the host file into the launcher, and lets a worker without a command serve ssh."""
    spec = pod["spec"]
    trainer = next((one for one in spec["containers"] if one["name"] == job.facts.container), spec["containers"][0])
    if place.role == "Worker":
        trainer.setdefault("command", ["/usr/sbin/sshd", "-De"])
        return
    volume = {"name": "caffe-hosts", "configMap": {"name": hosts_name(job)}}
    mount = {"name": "caffe-hosts", "mountPath": FOLDER, "readOnly": True}
    spec["volumes"] = [*(spec.get("volumes") or []), volume]
    trainer["volumeMounts"] = [*(trainer.get("volumeMounts") or []), mount]


CAFFE = Framework(
    facts=CAFFE_JOB,
    environment=environment,
    is_master=lambda job, place: place.role == "Launcher",
    is_running=any_active("Launcher"),
    has_succeeded=all_succeeded("Launcher"),
    speaks_in_full=lambda job: False,
    reaches="named",
    dress=dress,
    companions=companions,
)
