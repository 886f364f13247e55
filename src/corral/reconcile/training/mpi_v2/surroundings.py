"""What must be there before the pods: the service that names them, the host file, and the keys."""

from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP, SECRET, SERVICE
from corral.reconcile.frameworks.mpi import DISCOVER, HOSTFILE, WORKER, companion, config_name, slots_of
from corral.reconcile.plan import Action
from corral.reconcile.training.companions import companion_actions, created
from corral.reconcile.training.labels import job_labels
from corral.reconcile.training.mpi_v2.dialect import first_hosts, host, secret_name, spec_of, worker_name
from corral.reconcile.training.sight import Sight

SSH_KEY_PAIR = "ssh-key-pair"
"""The filler that puts a fresh pair of keys into the Secret."""


def surroundings(sight: Sight) -> list[Action]:
    """Returns what is missing or has changed.

    An operator need not be able to list secrets, so the keys are made when there is no pod yet that could hold them: if
    they are there already and cannot be seen, that is found out by the refusal.
    """
    owner, job = sight.job.facts.resource, sight.job
    wanted = [_service(sight), _config(sight)]
    actions = companion_actions(owner, job.object, wanted, sight.world.companions)
    kinds = {one["kind"] for one in sight.world.companions}
    is_waiting = job.run_policy.suspend and SERVICE.kind in kinds
    if not (SECRET.kind in kinds or sight.world.pods or sight.world.launcher_pods or is_waiting):
        actions.append(created(owner, job.object, _secret(sight), fill=SSH_KEY_PAIR))
    return actions


def _service(sight: Sight) -> Object:
    spec: Object = {"clusterIP": "None", "selector": job_labels(sight.job)}
    if spec_of(sight.job).run_launcher_as_worker:
        spec["publishNotReadyAddresses"] = True  # the launcher connects to itself before it is ready
    return companion((SERVICE.api_version, SERVICE.kind), sight.job, sight.job.name) | {"spec": spec}


def _secret(sight: Sight) -> Object:
    head = companion((SECRET.api_version, SECRET.kind), sight.job, secret_name(sight.job))
    return head | {"type": "kubernetes.io/ssh-auth"}


def _config(sight: Sight) -> Object:
    job, slots = sight.job, slots_of(sight.job)
    addressing = sight.world.settings.addressing
    mark = " slots=" if spec_of(job).mpi_implementation == "OpenMPI" else ":"
    workers = [worker_name(job, index) for index in range(job.count(WORKER))]
    running = sorted(pod.name for pod in sight.world.pods if pod.phase == "Running" and not pod.is_terminating)
    hosts = [host(job, name, addressing) for name in [*first_hosts(job), *workers]]
    found = [host(job, name, addressing) for name in [*first_hosts(job), *running]]
    data = {
        HOSTFILE: "".join(f"{name}{mark}{slots}\n" for name in hosts),
        DISCOVER: "#!/bin/sh\n" + "".join(f"echo {name}\n" for name in found),
    }
    return companion((CONFIG_MAP.api_version, CONFIG_MAP.kind), job, config_name(job)) | {"data": data}
