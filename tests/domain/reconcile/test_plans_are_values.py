from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.reconcile.plan import NOTHING_TO_DO, Create, Delete, LookAgainAfter, Plan

CREATE = Create(POD, {"metadata": {"name": "a"}})
DELETE = Delete(POD, ObjectKey("n", "b"), "uid")


def test_an_empty_plan_says_that_all_is_well() -> None:
    assert not Plan.of()
    assert Plan.of() == NOTHING_TO_DO
    assert Plan.of().then() == NOTHING_TO_DO


def test_stages_keep_their_order() -> None:
    plan = Plan.of(DELETE).then(CREATE, LookAgainAfter(5))
    assert plan.stages == ((DELETE,), (CREATE, LookAgainAfter(5)))
    assert list(plan) == [DELETE, CREATE, LookAgainAfter(5)]


def test_the_earliest_look_counts() -> None:
    assert Plan.of(LookAgainAfter(30)).then(LookAgainAfter(5)).look_again_after == 5
    assert Plan.of(CREATE).look_again_after is None
