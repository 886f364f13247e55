"""An operator that has exactly the rights it is said to need: it is never refused, and it uses every one of them.

It works on a real control plane as an account with a role made from `RIGHTS`, through a proxy that writes down its calls.
The first creation of every kind of object loses its answer, so that the operator has to look whether it is there.
"""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.rights import cluster_role
from corral.control.training.rights import RIGHTS
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import (
    CONFIG_MAP,
    HORIZONTAL_POD_AUTOSCALER,
    JOB,
    NAMESPACE,
    POD,
    ROLE,
    ROLE_BINDING,
    SERVICE,
    SERVICE_ACCOUNT,
)
from corral.testing.fault_proxy import FaultProxy
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.crons.cron_on_stage import cron_manifest, put_cron
from tests.training.ground import Ground
from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import DECIDING_POD, EVERY_KIND, template
from tests.training.operator.asked_rights import Use, granted, use_of
from tests.training.operator_process import OperatorProcess
from tests.training.restricted_way import first_creations_lose_their_answers, restricted_way
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

VOLCANO = ApiResource("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
PLUGINS = ApiResource("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")
METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
]
OPERATOR_NAME = "training.kubeflow.org/operator-name"

NEVER_CALLED = {
    # Asked by the admission plugin OwnerReferencesPermissionEnforcement, when it is on, about our owner references.
    *(one for one in granted() if one.resource.endswith("/finalizers")),
    # Held to be passed on: a server lets nobody give launchers what he has not himself.
    Use("", "pods/exec", "create"),
}


@pytest.fixture
def stage(real_training_ground: Ground) -> Iterator[Stage]:
    """A namespace of the test's own on a real server on which no other operator works."""
    real_training_ground.stop_operator()
    namespace = f"rights-{secrets.token_hex(4)}"
    with SyncClient(real_training_ground.access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        stage = Stage(client, namespace, is_real=True, warnings=[])
        stage.wait(lambda: stage.find(SERVICE_ACCOUNT, "default"))
        yield stage
        client.delete(NAMESPACE, ObjectKey("", namespace))


@pytest.fixture
def proxy(real_training_ground: Ground, stage: Stage) -> Iterator[FaultProxy]:
    """The way of an account with the operator's rights to the server."""
    with restricted_way(real_training_ground.access, stage, RIGHTS) as proxy:
        yield proxy


def test_it_is_never_refused_and_uses_every_right(proxy: FaultProxy, stage: Stage, tmp_path: Path) -> None:
    kubeconfig = written_kubeconfig(proxy.access(token="any"), tmp_path / "kubeconfig")
    log = tmp_path / "operator.log"
    with ExitStack() as running:
        running.enter_context(OperatorProcess(kubeconfig, log, ["--leader-elect", "--lost-node-grace", "10"]))
        silent, lost = begin_silence(stage), begin_loss(stage)
        for kind in EVERY_KIND:
            play_to_the_end(stage, kind)
            play_cron(stage, kind)
        play_elastic(stage)
        play_launchers_by_exec(stage)
        play_launchers_by_ssh(stage)
        proxy.fault_for = first_creations_lose_their_answers()
        stage.delete(ROLE_BINDING, "first-launcher")
        stage.wait(lambda: stage.find(ROLE_BINDING, "first-launcher"))
        stage.wait(lambda: (stage.find(POD, lost) or {"status": {"phase": "Failed"}})["status"]["phase"] == "Failed")
        stage.wait(lambda: "corral.dev/dump-stacks" in (silent.pod("worker-0")["metadata"].get("annotations") or {}))
    for scheduler, resource in (("volcano", VOLCANO), ("my-scheduler", PLUGINS)):
        with OperatorProcess(kubeconfig, log, ["--gang-scheduler-name", scheduler]):
            play_gang(stage, resource)
    answers = [(use_of(seen), code) for seen, code in proxy.answers]
    assert [(use, code) for use, code in answers if code == 403] == []
    assert "forbidden" not in log.read_text().lower()
    used = {use for use in map(use_of, proxy.seen) if use is not None}
    assert used - granted() == set(), "asked for without a right"
    assert granted() - used == NEVER_CALLED, "held without a use"


def test_the_role_says_what_the_rights_say() -> None:
    rules = cluster_role("corral-operator", RIGHTS)["rules"]
    assert len(rules) == len(RIGHTS)
    told = {
        Use(group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert told == granted()


def begin_silence(stage: Stage) -> JobOnStage:
    """Returns a job that tells a step once, whose log cannot be read, and which is then taken to hang."""
    policy = {"progress": {"hang": {"afterSeconds": 10}}}
    job = stage.submit("JAXJob", "silent", roles={"Worker": 1}, run_policy=policy)
    job.wait_pods("worker-0")
    stage.change(POD, "silent-worker-0", {"metadata": {"annotations": {"corral.dev/progress": '{"step": 1}'}}})
    job.run()
    return job


def begin_loss(stage: Stage) -> str:
    """Returns a launcher's pod that runs on a node which is gone."""
    job = stage.submit("MPIJob", "lost", version="v2beta1")
    job.wait_pods("worker-0")
    pod = stage.wait(lambda: [name for name in stage.names(POD) if name.startswith("lost-launcher-")])[0]
    bound = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod, "namespace": stage.namespace},
        "target": {"apiVersion": "v1", "kind": "Node", "name": f"gone-{stage.namespace}"},
    }
    stage.client.create(POD, bound, subresource="binding")
    job.run("worker-0", pod.removeprefix("lost-"))
    return pod


def play_to_the_end(stage: Stage, kind: str) -> None:
    """Lets a job of a kind wait twice, run, succeed, and be removed at once."""
    job = stage.submit(kind, f"ends-{kind.lower()}", run_policy={"ttlSecondsAfterFinished": 0, "cleanPodPolicy": "All"})
    for _ in range(2):  # what is told a second time is counted
        stage.wait(job.pods, lambda seen: len(seen) == 2)
        job.set_run_policy(suspend=True)
        job.wait_pods()
        job.wait_state("Suspended")
        job.set_run_policy(suspend=False)
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run()
    job.wait_state("Running")
    for pod in (DECIDING_POD[kind], *job.pods()):
        if stage.find(POD, job.full(pod)):
            job.set_phase(pod, "Succeeded")
    job.wait_gone()


def play_cron(stage: Stage, kind: str) -> None:
    """Lets a cron make a job of a kind."""
    cron = put_cron(stage, cron_manifest(f"cron-{kind.lower()}", kind=kind))
    cron.come()
    stage.wait(lambda: cron.status.get("active"))


def play_elastic(stage: Stage) -> None:
    """Lets an elastic job be scaled by other limits, and then no longer."""
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": METRICS}
    job = stage.submit("PyTorchJob", "elastic", roles={"Worker": 3}, elasticPolicy=policy)
    stage.wait(lambda: stage.find(HORIZONTAL_POD_AUTOSCALER, "elastic"))
    job.change({"elasticPolicy": {"maxReplicas": 6}})
    stage.wait(lambda: stage.get(HORIZONTAL_POD_AUTOSCALER, "elastic")["spec"]["maxReplicas"] == 6)
    job.scale("Worker", 2)
    job.wait_services("worker-0", "worker-1")
    job.set_run_policy(suspend=True)
    stage.wait_gone(HORIZONTAL_POD_AUTOSCALER, "elastic")


def play_launchers_by_exec(stage: Stage) -> None:
    """Lets what belongs to a v1 MPIJob be meddled with, and be put right."""
    job = stage.submit("MPIJob", "first")
    job.wait_pods("launcher", "worker-0")
    for resource in (CONFIG_MAP, ROLE, ROLE_BINDING):
        meddle(stage, resource, "first")
    job.set_run_policy(suspend=True)
    job.wait_pods()
    wrong = {"metadata": {"labels": {OPERATOR_NAME: "x"}}}
    stage.change(SERVICE_ACCOUNT, "first-launcher", wrong)  # looked at only before a launcher is made
    job.set_run_policy(suspend=False)
    stage.wait(lambda: label_of(stage, SERVICE_ACCOUNT, "first-launcher") != "x")


def play_launchers_by_ssh(stage: Stage) -> None:
    """Lets a v2beta1 MPIJob wait, be changed meanwhile, and go on."""
    job = stage.submit("MPIJob", "second", version="v2beta1")
    job.wait_pods("worker-0")
    stage.wait(lambda: (stage.find(JOB, "second-launcher") or {}).get("status", {}).get("startTime"))
    job.set_run_policy(suspend=True)
    stage.wait(lambda: stage.get(JOB, "second-launcher")["spec"].get("suspend"))
    changed = {"metadata": {"labels": {"of": "kueue"}}, "spec": template("MPIJob")["spec"]}
    job.change({"mpiReplicaSpecs": {"Launcher": {"template": changed}}})
    job.set_run_policy(suspend=False)
    stage.wait(lambda: stage.get(JOB, "second-launcher")["spec"].get("suspend"), lambda seen: not seen)
    stage.change(SERVICE, "second", {"spec": {"selector": {"other": "pods"}}})
    stage.wait(lambda: stage.get(SERVICE, "second")["spec"]["selector"], lambda seen: "other" not in seen)


def meddle(stage: Stage, resource: ApiResource, owner: str) -> None:
    """Changes a label of everything of a sort that a job owns, and returns when the operator has changed it back."""
    owned = [
        (one["metadata"]["name"], one["metadata"]["labels"][OPERATOR_NAME])
        for one in stage.all(resource)
        if any(reference["name"] == owner for reference in one["metadata"].get("ownerReferences") or [])
    ]
    assert owned, f"{owner} owns no {resource.plural}"
    for name, _ in owned:
        stage.change(resource, name, {"metadata": {"labels": {OPERATOR_NAME: "x"}}})
    stage.wait(lambda: [(name, label_of(stage, resource, name)) for name, _ in owned], lambda seen: seen == owned)


def label_of(stage: Stage, resource: ApiResource, name: str) -> str:
    """Returns the label that says which operator something belongs to."""
    return str(stage.get(resource, name)["metadata"]["labels"].get(OPERATOR_NAME))


def play_gang(stage: Stage, resource: ApiResource) -> None:
    """Lets a gang be announced, changed and called off."""
    name = resource.group.split(".")[1]
    job = stage.submit("TFJob", name)
    stage.wait(lambda: stage.find(resource, name))
    stage.change(resource, name, {"status": {"phase": "Inqueue"}}, "status")
    job.wait_pods("worker-0", "worker-1")
    job.set_run_policy(schedulingPolicy={"minAvailable": 1})
    stage.wait(lambda: stage.get(resource, name)["spec"]["minMember"] == 1)
    job.set_run_policy(suspend=True)
    stage.wait_gone(resource, name)
