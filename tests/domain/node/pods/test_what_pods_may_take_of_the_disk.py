"""Which limits of the disk a pod has, and over which folders."""

from corral.engine.node.folder import NodeFolder
from corral.engine.node.pods.storage_limits import StorageLimit, storage_limits
from corral.kinds.objects import Object

FOLDER = NodeFolder("/n")
LOGS = "/n/logs/ml/eater_u1"


def pod(*containers: Object, volumes: list[Object] | None = None, inits: list[Object] | None = None) -> Object:
    spec = {"containers": list(containers), "volumes": volumes or [], "initContainers": inits or []}
    return {"metadata": {"namespace": "ml", "name": "eater", "uid": "u1"}, "spec": spec}


def container(name: str, limit: str = "") -> Object:
    return {"name": name, "resources": {"limits": {"ephemeral-storage": limit}} if limit else {}}


def test_most_pods_have_none() -> None:
    volumes: list[Object] = [{"name": "v", "emptyDir": {}}, {"name": "h", "hostPath": {"path": "/data"}}]
    assert storage_limits(pod(container("a"), volumes=volumes), FOLDER) == ()


def test_an_empty_dir_has_its_own() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "10Mi"}}]
    want = StorageLimit(("/n/pods/u1/volumes/v",), 10 << 20, 'Usage of EmptyDir volume "v" exceeds the limit "10Mi"')
    assert storage_limits(pod(container("a"), volumes=volumes), FOLDER) == (want,)


def test_a_container_answers_for_its_log_and_the_pod_for_everything() -> None:
    made = pod(
        container("a", "1Mi"), container("b"), volumes=[{"name": "v", "emptyDir": {}}], inits=[container("i", "2Mi")]
    )
    own_init, own, whole = storage_limits(made, FOLDER)
    assert (own_init.folders, own_init.most_bytes) == ((f"{LOGS}/i",), 2 << 20)
    assert (own.folders, own.most_bytes) == ((f"{LOGS}/a",), 1 << 20)
    assert own.sentence == 'Container a exceeded its local ephemeral storage limit "1.0 MiB"'
    assert whole.folders == (LOGS, "/n/pods/u1/work", "/n/pods/u1/volumes/v")
    assert whole.most_bytes == 1 << 20
    assert whole.sentence.startswith("Pod ephemeral local storage usage exceeds the total limit")


def test_nothing_and_nonsense_are_no_limits() -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "0"}}, {"name": "w", "emptyDir": {"sizeLimit": "much"}}]
    assert storage_limits(pod(container("a", "0"), volumes=volumes), FOLDER) == ()
