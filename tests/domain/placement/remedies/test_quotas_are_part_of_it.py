"""Where a quota refuses a gang, what helps is more of it, less asked, or a job of the same queue that ends."""

import pytest

from corral.placement.admission.amounts import amounts_of_gang
from corral.placement.admission.queues import Queues, QueueTerms
from corral.placement.admission.quota import lack_of
from corral.placement.asks import Gang, Seat
from corral.placement.fleet import Fleet
from corral.placement.potentials import policy
from corral.placement.remedies.books import Books
from corral.placement.remedies.explanation import Explanation, Terms, explain
from corral.placement.remedies.supplies import Job
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod

VISION, SPEECH = (
    Job("vision-1", "vision-1", ("v",), queue="vision"),
    Job("speech-1", "speech-1", ("s",), queue="speech"),
)


def queues(*terms: QueueTerms) -> Queues:
    found = Queues()
    for one in terms:
        found.put(one)
    found.take("vision", {"gpu": 2000, "cpu": 1000, "memory": 1 << 20})
    found.take("speech", {"gpu": 4000, "cpu": 1000, "memory": 1 << 20})
    return found


def shared() -> Fleet:
    fleet = fleet_of(node("a"), node("b"))
    fleet.hold(Seat("v", "a"), pod(2))
    fleet.hold(Seat("s", "b"), pod(4))
    return fleet


def why(gang: Gang, books: Books, fleet: Fleet | None = None) -> Explanation:
    found = explain(fleet or shared(), gang, policy(), (VISION, SPEECH), terms=Terms(books=books))
    assert found is not None
    return found


def offered(found: Explanation) -> list[str]:
    return [one.sentence for one in found.remedies]


def test_a_limit_is_raised_or_a_job_of_the_queue_ends_or_less_is_asked() -> None:
    books = Books(queues(QueueTerms("vision", limit=(("gpu", 4000),)), QueueTerms("speech")))
    found = why(gang_of(pod(2), pod(2), queue="vision"), books)
    assert (found.code, found.sentence) == ("quota-limit", "it needs 4 GPUs; the limit of queue vision leaves 2 GPUs")
    assert offered(found) == [
        "with 1 GPU for each pod in place of 2",
        "with 1 pod in place of 2",
        "when queue vision may have 2 GPUs more",
        "when vision-1 ends or is suspended (it holds 2 GPUs)",
    ]
    assert found.event.startswith(
        "Waits: it needs 4 GPUs; the limit of queue vision leaves 2 GPUs; it would start with 1 GPU"
    )


def test_what_is_borrowed_too_much_counts_to_what_is_asked_for() -> None:
    terms = QueueTerms("vision", guarantee=(("gpu", 1000),), borrowing=(("gpu", 0),))
    found = why(gang_of(pod(1), queue="vision"), Books(queues(terms, QueueTerms("speech"))))
    assert found.code == "quota-borrowing"
    assert "when queue vision may borrow 2 GPUs more" in offered(found)


def test_room_and_quota_are_both_asked_for_where_both_lack() -> None:
    books = Books(queues(QueueTerms("vision", limit=(("gpu", 4000),)), QueueTerms("speech")))
    found = why(gang_of(pod(8), queue="vision"), books)
    assert found.code == "quota-limit"
    assert found.sentence == (
        "it needs 8 GPUs; the limit of queue vision leaves 2 GPUs; besides, it needs 8 GPUs on one node;"
        " 10 GPUs are free on 2 nodes, at most 6 on one (a: 2 held by vision-1)"
    )
    assert "with 2 more GPUs free on a and when queue vision may have 6 GPUs more" in offered(found)
    assert "when speech-1 ends or is suspended (it holds 4 GPUs) and when queue vision may have 6 GPUs more" in offered(
        found
    )


def test_a_queue_is_named_that_keeps_what_it_does_not_use() -> None:
    terms = QueueTerms("speech", guarantee=(("gpu", 12_000),), lending=(("gpu", 1000),))
    found = why(gang_of(pod(6), queue="vision"), Books(queues(QueueTerms("vision"), terms)))
    assert found.code == "quota-lending"
    assert "when queue speech returns 3 GPUs of what it keeps" in offered(found)


@pytest.mark.parametrize("leaves", [1000, 3000])
def test_the_quota_of_a_namespace_counts_as_well(leaves: int) -> None:
    books = Books(queues(QueueTerms("vision")), {"team": {"gpu": leaves}}, "team")
    found = why(gang_of(pod(4), queue="vision"), books)
    assert found.code == "quota-namespace"
    assert f"when the quota of namespace team allows {4 - leaves // 1000} GPU" in " ".join(offered(found))


def test_the_books_are_as_before() -> None:
    tree = queues(QueueTerms("vision", limit=(("gpu", 4000),)), QueueTerms("speech"))
    gang = gang_of(pod(2), pod(2), queue="vision")
    before = lack_of(tree, {}, "vision", amounts_of_gang(gang))
    why(gang, Books(tree))
    assert lack_of(tree, {}, "vision", amounts_of_gang(gang)) == before
    assert tree.used("vision") == {"gpu": 2000, "cpu": 1000, "memory": 1 << 20}
