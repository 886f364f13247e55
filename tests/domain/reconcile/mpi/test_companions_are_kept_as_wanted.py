"""Objects beside the pods: made when missing, corrected when they drift, left alone when they are somebody else's."""

from typing import Any

from corral.kinds.objects import Object
from corral.reconcile.frameworks.mpi import MPI
from corral.reconcile.plan import Action, Create, Update
from corral.reconcile.training.companions import companion_actions
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.mpi.builders import UID, mpi_job, owned, read, workers
from tests.domain.reconcile.training_builders import NOW, manifest

JOB = mpi_job()


def actions(observed: list[Object], *pods: Any) -> list[Action]:
    return companion_actions(MPI.facts.resource, JOB, MPI.companions(read(JOB), pods), observed)


def all_made() -> list[Object]:
    return [owned(one.object) for one in actions([]) if isinstance(one, Create)]


def test_everything_missing_is_made_with_its_owner() -> None:
    made = actions([])
    kinds = [one.object["kind"] for one in made if isinstance(one, Create)]
    assert kinds == ["ConfigMap", "ServiceAccount", "Role", "RoleBinding"]
    for one in made:
        assert isinstance(one, Create)
        assert one.object["metadata"]["labels"] == {
            "app": "pi",
            "training.kubeflow.org/operator-name": "mpijob-controller",
            "training.kubeflow.org/job-name": "pi",
        }
        assert one.object["metadata"]["ownerReferences"] == [
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "MPIJob",
                "name": "pi",
                "uid": UID,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]


def test_nothing_is_done_when_all_is_as_wanted() -> None:
    assert actions(all_made()) == []


def test_a_worker_that_runs_changes_the_script_alone() -> None:
    (update,) = actions(all_made(), *workers(1))
    assert isinstance(update, Update)
    assert update.object["metadata"]["resourceVersion"] == "9"
    assert update.object["data"]["discover_hosts.sh"] == "#!/bin/sh\necho pi-worker-0:1"


def test_fields_of_others_stay_when_ours_are_corrected() -> None:
    observed = all_made()
    role = next(one for one in observed if one["kind"] == "Role")
    role["metadata"]["annotations"] = {"note": "mine"}
    role["rules"] = []
    (update,) = actions(observed)
    assert isinstance(update, Update)
    assert update.object["metadata"]["annotations"] == {"note": "mine"}
    assert len(update.object["rules"]) == 2


def test_name_of_another_is_told_and_an_account_may_be_anybodys() -> None:
    for one in actions([]):
        assert isinstance(one, Create)
        assert one.or_found is (one.object["kind"] == "ServiceAccount")
        assert one.told is not None
        assert one.told.taken is not None
    config = next(one for one in actions([]) if isinstance(one, Create) and one.object["kind"] == "ConfigMap")
    assert config.told is not None
    assert config.told.taken is not None
    assert config.told.taken.reason == "ErrResourceExists"
    assert (
        config.told.taken.message
        == 'Resource "pi-config" of Kind "ConfigMap" already exists and is not managed by MPIJob'
    )


def test_object_of_an_earlier_job_of_the_same_name_is_not_taken_for_ours() -> None:
    observed = all_made()
    for one in observed:
        one["metadata"]["ownerReferences"][0]["uid"] = "another"
    assert len(actions(observed)) == 4


def test_what_is_going_away_is_waited_for() -> None:
    observed = all_made()
    observed[0]["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:00Z"
    assert actions(observed, *workers(1)) == []


def test_a_binding_is_made_after_its_role() -> None:
    """A server asks what a binding grants, and refuses one whose role is not there."""
    plan = decide(World(manifest("MPIJob", Launcher=1, Worker=1)), NOW)
    stages = [[one.resource.kind for one in stage if isinstance(one, Create)] for stage in plan.stages]
    assert "Role" in stages[0]
    assert stages[1] == ["RoleBinding"]
    assert stages[2] == ["Pod", "Pod"]
