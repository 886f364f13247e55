"""The headless service of each pod, which gives it a name that the others can resolve."""

from corral.kinds.objects import Object, owner_reference
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.training.labels import place_labels


def service_of(job: TrainingJob, place: Place) -> Object:
    """Returns the service of one pod.

    Its address is published before the pod is ready: the processes of a job wait for each other to become so.
    """
    spec: Object = {"clusterIP": "None", "selector": place_labels(job, place), "publishNotReadyAddresses": True}
    ports = _ports(job, place.role)
    if ports:
        spec["ports"] = ports
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": job.child_name(place.role, place.index),
            "namespace": job.namespace,
            "labels": place_labels(job, place),
            "ownerReferences": [owner_reference(job.facts.resource, job.object)],
        },
        "spec": spec,
    }


def _ports(job: TrainingJob, role: str) -> list[Object]:
    """Returns the named ports of the training container; an unnamed one could not stand beside others."""
    containers = (job.roles[role].template.get("spec") or {}).get("containers") or []
    named = [one for one in containers if one.get("name") == job.facts.container] or containers
    ports = (port for one in named[:1] for port in one.get("ports") or ())
    found = {port["name"]: port["containerPort"] for port in ports if port.get("name")}
    return [{"name": name, "port": number} for name, number in found.items()]
