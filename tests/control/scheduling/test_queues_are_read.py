"""What a queue says becomes terms, and amounts are written back as they are written in objects."""

import pytest

from corral.control.scheduling.reading.queues import (
    UnreadableQueueError,
    quantities_in,
    terms_of,
    terms_of_volcano,
)
from corral.kinds.objects import Metadata
from corral.kinds.queues.queue import QueueView
from corral.placement.admission.queues import QueueTerms


def view(**spec: object) -> QueueView:
    return QueueView(metadata=Metadata(name="research"), spec=spec)


def test_every_term_is_read_in_the_units_of_placement() -> None:
    found = terms_of(
        view(
            parent="institute",
            guarantee={"nvidia.com/gpu": 8, "cpu": "1500m", "memory": "2Gi"},
            limit={"nvidia.com/gpu": "12", "rdma/hca": "4"},
            lending={"nvidia.com/gpu": "500m"},
            borrowing={},
            weight=3,
            strategy="spread",
            order="arrival",
            passing=False,
            stretch=2,
        )
    )
    assert found == QueueTerms(
        "research",
        parent="institute",
        guarantee=(("cpu", 1500), ("gpu", 8000), ("memory", 2 << 30)),
        limit=(("gpu", 12_000), ("rdma/hca", 4)),
        weight=3,
        lending=(("gpu", 500),),
        borrowing=(),
        strategy="spread",
        passing=False,
        order="arrival",
        stretch=2.0,
    )


def test_what_is_not_said_has_no_bound() -> None:
    assert terms_of(view()) == terms_of(QueueView(metadata=Metadata(name="research"))) == QueueTerms("research")


@pytest.mark.parametrize("spec", [{"limit": {"cpu": "many"}}, {"weight": "heavy"}, {"order": "size"}])
def test_what_cannot_be_read_is_said_to_be_so(spec: dict[str, object]) -> None:
    with pytest.raises(UnreadableQueueError):
        terms_of(view(**spec))


def test_a_queue_of_volcano_gets_back_what_it_deserves_and_keeps_what_it_is_guaranteed() -> None:
    said = {
        "weight": 2,
        "capability": {"nvidia.com/gpu": 16},
        "deserved": {"nvidia.com/gpu": 8, "cpu": 10},
        "guarantee": {"resource": {"nvidia.com/gpu": 4}},
        "parent": "root",
        "reclaimable": True,
    }
    assert terms_of_volcano(view(**said)) == QueueTerms(
        "research",
        parent="root",
        guarantee=(("cpu", 10_000), ("gpu", 8000)),
        limit=(("gpu", 16_000),),
        weight=2,
        lending=(("gpu", 4000),),
    )


def test_amounts_are_written_back_in_their_one_form() -> None:
    told = quantities_in({"gpu": 8500, "cpu": 250, "memory": 3 << 29, "rdma/hca": 4, "idle": 0})
    assert told == {"cpu": "250m", "memory": "1536Mi", "nvidia.com/gpu": "8500m", "rdma/hca": "4"}


def test_gpus_that_are_counted_twice_are_told_with_their_shares() -> None:
    assert quantities_in({"gpu": 12_000, "nvidia.com/gpu": 2}) == {"nvidia.com/gpu": "12"}
