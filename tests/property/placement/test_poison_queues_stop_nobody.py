"""Whatever stands in a queue, of either kind, it can be read or is said to be unreadable, and decisions go on beside it.

What is guaranteed to it, or kept by it, may be all there is; who is well starts at the latest when it is gone.
"""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from corral.control.scheduling.queueing.followed_queues import VOLCANO_QUEUE, given_by
from corral.control.scheduling.queueing.register import Unreadable
from corral.kinds.objects import Metadata
from corral.kinds.queues.queue import QUEUE, QueueView
from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import QueueTerms
from tests.domain.placement.admission.stage import Stage, gpus

RESOURCES = ("nvidia.com/gpu", "gpu", "cpu", "memory", "")
AMOUNTS = (
    "0",
    "1",
    "-1",
    "9e18",
    "1e400",
    "9" * 400,
    f"{'9' * 18}Ei",
    "1e-9",
    "nan",
    "",
    2,
    -7,
    10**400,
    None,
    True,
    1.5,
)
amounts: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(RESOURCES), st.sampled_from(AMOUNTS) | st.just([]), max_size=3
)
rest = {"weight": st.sampled_from((0, 1, -5, 10**30, "2", None)), "parent": st.sampled_from(("", "well", "poison", 3))}
specs = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("guarantee", "limit", "lending", "borrowing", "capability", "deserved"), amounts | st.none()),
        **rest,
        "stretch": st.sampled_from((0, 1e300, -1, "x")),
        "strategy": st.sampled_from(("spread", "none", 1)),
    },
)
volcano = st.builds(lambda spec, kept: {**spec, "guarantee": {"resource": kept}}, specs, amounts)


@example((QUEUE, {"guarantee": {"nvidia.com/gpu": "1", "cpu": "1e400"}}))
@settings(deadline=None)
@given(st.tuples(st.sampled_from((QUEUE, VOLCANO_QUEUE)), specs | volcano | st.sampled_from((None, [], "x", 5))))
def test_decisions_go_on_beside_any_queue_and_who_is_well_starts_after_it(poison: tuple[Any, Any]) -> None:
    kind, spec = poison
    found = given_by(kind, QueueView(metadata=Metadata(name="poison"), spec=spec))
    terms = QueueTerms("poison") if isinstance(found, Unreadable) else found
    stage = Stage(8, queues=(QueueTerms("well", guarantee=gpus(4)), terms), terms=Terms(reclaims="share"))
    stage.ask("of-poison", gpus=4, queue="poison")
    stage.starts()
    for number in range(4):
        stage.ask(f"more-{number}", gpus=1, queue="poison")
        stage.ask(f"well-{number}", gpus=1, queue="well")
    for _ in range(3):
        for one in stage.cycle(after=60).evictions:
            stage.desk.leave(one.gang)
    stage.desk.remove_queue("poison")
    for uid in ("of-poison", *(f"more-{number}" for number in range(4))):
        stage.desk.leave(uid)
    stage.cycle(after=1200)
    assert {f"well-{number}" for number in range(4)} <= set(stage.running)
