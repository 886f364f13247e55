"""Which pod leads a job, and which one is meant by `worker-0`, in every dialect of labels."""

import pytest

from corral.control.desk.jobs.members import chief_among, instance_named, member_of
from corral.errors import PermanentError
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import PodView

TYPE, INDEX, ROLE = (f"training.kubeflow.org/{name}" for name in ("replica-type", "replica-index", "job-role"))


def pod(name: str, **labels: str) -> PodView:
    named = {{"type": TYPE, "index": INDEX, "role": ROLE}[key]: value for key, value in labels.items()}
    return PodView(metadata=Metadata(name=name, uid=name, labels=named))


MPI_V1 = [pod("j-worker-0", type="worker", index="0"), pod("j-launcher", type="launcher", role="master")]
MPI_V2 = [pod("j-worker-0", role="worker", index="0"), pod("j-launcher-x7z", role="launcher")]
WORKERS = [pod("j-worker-1", type="worker", index="1"), pod("j-worker-0", type="worker", index="0", role="master")]


@pytest.mark.parametrize(
    ("pods", "want"), [(MPI_V1, "j-launcher"), (MPI_V2, "j-launcher-x7z"), (WORKERS, "j-worker-0")]
)
def test_one_pod_leads(pods: list[PodView], want: str) -> None:
    for order in (pods, pods[::-1]):
        chief = chief_among(order)
        assert chief is not None
        assert chief.name == want


@pytest.mark.parametrize("pods", [MPI_V1, MPI_V2, WORKERS])
@pytest.mark.parametrize("word", ["worker-0", "j-worker-0"])
def test_a_pod_has_a_name_and_a_place(pods: list[PodView], word: str) -> None:
    assert instance_named([member_of(one) for one in pods], word).pod.name == "j-worker-0"


def test_an_unknown_instance_is_told_the_known_ones() -> None:
    with pytest.raises(PermanentError) as told:
        instance_named([member_of(one) for one in MPI_V2], "worker-9")
    assert told.value.hint == "instances are worker-0, launcher"
