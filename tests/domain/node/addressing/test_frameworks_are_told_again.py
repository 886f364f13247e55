"""What the operator told a pod is told again with addresses of this machine, for every framework, and nothing else is touched."""

from typing import Any

import msgspec
import pytest

from corral.engine.node.addressing.framework_values import Values, membership_of, values_here, wanted_by
from corral.engine.node.addressing.loopback import ServicePort, UnknownServiceError, address_of
from corral.engine.node.addressing.translation import addresses_in, translated
from corral.kinds.objects import Object
from corral.kinds.training.job import Place
from corral.kinds.training.reading import read_job
from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.addressing import ClusterAddressing
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.training.pods import pod_of
from corral.reconcile.training.world import Settings
from tests.domain.reconcile.training_builders import manifest, template


def made(kind: str, role: str, index: int, **given: Any) -> tuple[Object, Object]:
    """Returns a pod as the operator makes it, and its job."""
    obj = manifest(kind, **given)
    job = read_job(obj)
    return pod_of(framework_of(job.facts), job, Place(role, index), JobStatus(), Settings()), obj


def allotted(wanted: frozenset[ServicePort]) -> dict[ServicePort, int]:
    return {one: 21000 + number for number, one in enumerate(sorted(wanted))}


def told(kind: str, role: str, index: int, **given: Any) -> tuple[Values, dict[ServicePort, int]]:
    pod, obj = made(kind, role, index, **given)
    member = membership_of(pod, obj)
    assert member is not None
    ports = allotted(wanted_by(member))
    return values_here(pod, member, ports), ports


def host(name: str) -> str:
    return address_of("ml", name)


def test_tensorflow_gets_a_map_of_this_machine() -> None:
    values, ports = told("TFJob", "Worker", 1, name="t", PS=1, Worker=2)
    config = msgspec.json.decode(values["tensorflow"]["TF_CONFIG"])
    assert config["task"] == {"type": "worker", "index": 1}
    assert config["cluster"] == {
        "ps": [f"{host('t-ps-0')}:{ports[ServicePort('ml', 't-ps-0', 2222)]}"],
        "worker": [f"{host(f't-worker-{n}')}:{ports[ServicePort('ml', f't-worker-{n}', 2222)]}" for n in range(2)],
    }


@pytest.mark.parametrize(("role", "index"), [("Master", 0), ("Worker", 1)])
def test_pytorch_gets_host_and_port_of_its_master(role: str, index: int) -> None:
    values, ports = told("PyTorchJob", role, index, name="ddp", Master=1, Worker=2)
    assert list(ports) == [("ml", "ddp-master-0", 23456)]
    assert values == {
        "pytorch": {
            "MASTER_PORT": "21000",
            "PET_MASTER_PORT": "21000",
            "MASTER_ADDR": host("ddp-master-0"),
            "PET_MASTER_ADDR": host("ddp-master-0"),
        }
    }


@pytest.mark.parametrize(("index", "is_host"), [(0, "true"), (1, "false")])
def test_elastic_pytorch_meets_at_the_first_worker(index: int, is_host: str) -> None:
    values, _ = told("PyTorchJob", "Worker", index, name="e", Worker=2, elasticPolicy={"minReplicas": 1})
    endpoint = f"{host('e-worker-0')}:21000"
    assert values == {"pytorch": {"PET_RDZV_ENDPOINT": endpoint, "PET_RDZV_CONF": f"is_host={is_host}"}}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([{"key": "last_call_timeout", "value": "2"}], "last_call_timeout=2,is_host=true"),
        ([{"key": "is_host", "value": "0"}], None),
    ],
)
def test_settings_of_a_meeting_are_kept(given: list[dict[str, str]], wanted: str | None) -> None:
    values, _ = told("PyTorchJob", "Worker", 0, name="e", Worker=2, elasticPolicy={"rdzvConf": given})
    assert values["pytorch"].get("PET_RDZV_CONF") == wanted


def test_a_meeting_elsewhere_has_no_host_among_the_workers() -> None:
    policy = {"rdzvBackend": "etcd-v2", "rdzvHost": "etcd", "rdzvPort": 2379}
    assert told("PyTorchJob", "Worker", 0, name="e", Worker=2, elasticPolicy=policy)[0] == {}


def test_jax_gets_its_coordinator() -> None:
    values, _ = told("JAXJob", "Worker", 1, name="j", Worker=2)
    assert values == {"jax": {"COORDINATOR_ADDRESS": host("j-worker-0"), "COORDINATOR_PORT": "21000"}}


def test_xgboost_gets_one_port_and_an_address_for_each_worker() -> None:
    values, ports = told("XGBoostJob", "Worker", 0, name="x", Master=1, Worker=2)
    told_here = values["xgboost"]
    assert told_here["WORKER_ADDRS"] == f"{host('x-worker-0')},{host('x-worker-1')}"
    assert told_here["WORKER_PORT"] == str(ports[ServicePort("ml", "x-worker-0", 9999)])
    assert told_here["MASTER_ADDR"] == host("x-master-0")


def test_mxnet_gets_its_scheduler_and_the_whole_map() -> None:
    values, _ = told("MXJob", "Worker", 0, name="m", Scheduler=1, Server=1, Worker=1)
    config = msgspec.json.decode(values["mxnet"]["MX_CONFIG"])
    assert values["mxnet"]["DMLC_PS_ROOT_URI"] == host("m-scheduler-0")
    assert {"url": host("m-scheduler-0"), "port": int(values["mxnet"]["DMLC_PS_ROOT_PORT"])} in config["cluster"][
        "scheduler"
    ]


def test_paddles_meeting_place_has_one_address_for_itself_and_for_the_others() -> None:
    of_root, _ = told("PaddleJob", "Worker", 0, name="p", Worker=2)
    of_other, _ = told("PaddleJob", "Worker", 1, name="p", Worker=2)
    # The node resolves the reference to the pod's own address, which is that of its name, as the Service's is.
    resolved = of_root["paddle"]["PADDLE_MASTER"].replace("$(POD_IP_DUMMY)", address_of("ml", "p-worker-0"))
    assert resolved == of_other["paddle"]["PADDLE_MASTER"]


def test_what_the_user_wrote_instead_is_left_alone() -> None:
    pod, obj = made("PyTorchJob", "Worker", 0, name="ddp", Master=1, Worker=1)
    pod["spec"]["containers"][0]["env"] += [
        {"name": "MASTER_ADDR", "value": "elsewhere"},
        {"name": "MASTER_PORT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    member = membership_of(pod, obj)
    assert member is not None
    values = values_here(pod, member, allotted(wanted_by(member)))
    assert sorted(values["pytorch"]) == ["PET_MASTER_ADDR", "PET_MASTER_PORT"]


def test_only_containers_that_the_framework_tells_are_changed() -> None:
    containers = [{"name": "sidecar", "image": "s"}, {"name": "tensorflow", "image": "t"}]
    given = {"replicas": 2, "template": {"spec": {"containers": containers}}}
    values, _ = told("TFJob", "Worker", 0, name="t", Worker=given)
    assert list(values) == ["tensorflow"]
    values, _ = told("JAXJob", "Worker", 0, name="t", Worker=given)
    assert list(values) == ["sidecar", "tensorflow"]


def test_a_map_of_a_job_that_has_grown_since_is_left_to_the_translation_of_text() -> None:
    pod, _ = made("TFJob", "Worker", 0, name="t", Worker=2)
    member = membership_of(pod, manifest("TFJob", name="t", Worker=3))
    assert member is not None
    assert values_here(pod, member, allotted(wanted_by(member))) == {}
    [variable] = pod["spec"]["containers"][0]["env"]
    found = addresses_in(variable["value"], "ml")
    assert found < wanted_by(member)
    assert not addresses_in(translated(variable["value"], "ml", allotted(frozenset(found))), "ml")


def test_an_operators_own_domain_is_known_by_its_name() -> None:
    obj = manifest("TFJob", name="t", Worker=2)
    job = read_job(obj)
    settings = Settings(addressing=ClusterAddressing("corp.test"))
    pod = pod_of(framework_of(job.facts), job, Place("Worker", 0), JobStatus(), settings)
    member = membership_of(pod, obj)
    assert member is not None
    assert values_here(pod, member, allotted(wanted_by(member))) == {}
    assert "TF_CONFIG" in values_here(pod, member, allotted(wanted_by(member)), "corp.test")["tensorflow"]


def test_an_address_without_a_port_yet_is_named() -> None:
    pod, obj = made("JAXJob", "Worker", 0, name="j", Worker=2)
    member = membership_of(pod, obj)
    assert member is not None
    with pytest.raises(UnknownServiceError, match="j-worker-0"):
        values_here(pod, member, {})


def test_the_waiting_container_of_pytorch_is_translated_as_text() -> None:
    pod, obj = made("PyTorchJob", "Worker", 0, name="ddp", Master=1, Worker=1)
    member = membership_of(pod, obj)
    assert member is not None
    ports = allotted(wanted_by(member))
    [waiting] = pod["spec"]["initContainers"]
    assert [translated(one, "ml", ports) for one in waiting["args"]][1] == f"{host('ddp-master-0')}:21000"


def test_pods_of_mpi_are_told_no_addresses() -> None:
    pod, obj = made("MPIJob", "Launcher", 0, name="pi", Launcher=1, Worker=template_of_one())
    assert membership_of(pod, obj) is None


def test_a_pod_without_a_place_is_nobodys() -> None:
    pod, obj = made("JAXJob", "Worker", 0, name="j", Worker=2)
    pod["metadata"]["labels"] = {"training.kubeflow.org/replica-type": "worker"}
    assert membership_of(pod, obj) is None


def template_of_one() -> Object:
    return {"replicas": 1, "template": template("mpi")}
