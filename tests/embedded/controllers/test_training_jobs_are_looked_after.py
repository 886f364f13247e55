"""On one machine the training operator runs among the controllers, and takes its jobs along when they go."""

from corral.kinds.references import ApiResource
from corral.kinds.training.tensorflow import TF_JOB
from corral.kinds.well_known import POD, SERVICE
from tests.embedded.controllers.cluster import Cluster


def test_a_training_job_gets_its_pods_and_loses_them_with_itself(own: Cluster) -> None:
    container = {"name": "tensorflow", "image": "any"}
    workers = {"replicas": 2, "template": {"spec": {"containers": [container]}}}
    own.make(TF_JOB.resource, "train", spec={"tfReplicaSpecs": {"Worker": workers}})
    names = ["train-worker-0", "train-worker-1"]
    own.wait(lambda: names_of(own, POD), lambda seen: seen == names)
    own.wait(lambda: names_of(own, SERVICE), lambda seen: seen == names)
    own.delete(TF_JOB.resource, "train")
    own.wait(lambda: names_of(own, POD) + names_of(own, SERVICE), lambda seen: seen == [])


def names_of(cluster: Cluster, resource: ApiResource) -> list[str]:
    return sorted(one["metadata"]["name"] for one in cluster.all(resource))
