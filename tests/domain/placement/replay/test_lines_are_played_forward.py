"""A line played forward: gangs end, admission decides, until all that can have started; who gives way comes back."""

from corral.placement.admission.admission import Admission
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import QueueTerms
from corral.placement.asks import Gang, GpuAsk, Member, PodAsk, Seat
from corral.placement.replay.forward import play_forward
from corral.placement.replay.gangs_counted import CountedRoom
from corral.placement.replay.gangs_trace import nodes

HOUR = 3600.0


def gang(uid: str, gpus: int, queue: str = "") -> Gang:
    return Gang(uid, (Member(f"{uid}/0", PodAsk(gpu=GpuAsk(gpus))),), 1, queue)


def desk(*queues: QueueTerms, terms: Terms | None = None) -> Admission:
    made = Admission(CountedRoom(), terms)
    for offer in nodes(1):
        made.put_node(offer)
    for one in queues:
        made.put_queue(one)
    return made


def runs(at: Admission, uid: str, gpus: int, run_time: float, queue: str = "", checkpoints: bool = False) -> None:
    claim = Waiting(gang(uid, gpus, queue), 0.0, run_time=run_time, checkpoints=checkpoints)
    at.run(Running(claim, (Seat(f"{uid}/0", "n0000"),), 0.0))


def length(claim: Waiting, elapsed: float) -> float:
    return (claim.run_time or 0.0) - elapsed


def test_gangs_start_one_after_the_other_as_others_end() -> None:
    at = desk()
    runs(at, "first", 8, 2 * HOUR)
    at.wait(Waiting(gang("second", 8), 10.0, run_time=HOUR))
    at.wait(Waiting(gang("third", 8), 20.0, run_time=HOUR))
    found = play_forward(at, length, HOUR)
    assert found.starts == {"second": HOUR, "third": 2 * HOUR}
    assert found.given_way == 0


def test_who_never_fits_never_starts_and_ends_nothing() -> None:
    at = desk()
    runs(at, "first", 8, 2 * HOUR)
    at.wait(Waiting(gang("huge", 9), 10.0, run_time=HOUR))
    assert play_forward(at, length, HOUR).starts == {}


def test_who_gives_way_comes_back_and_goes_on_where_it_was_when_it_checkpoints() -> None:
    for checkpoints, ends in ((True, 10 * HOUR), (False, 12 * HOUR)):
        at = desk(QueueTerms("owner", guarantee=(("gpu", 8000),)), QueueTerms("guest"))
        runs(at, "borrower", 8, 10 * HOUR, "guest", checkpoints)
        at.wait(Waiting(gang("owner-1", 8, "owner"), 10.0, run_time=HOUR))
        at.wait(Waiting(gang("last", 8, "guest"), 9 * HOUR, run_time=HOUR))
        found = play_forward(at, length, 2 * HOUR)
        assert found.given_way == 1
        assert found.starts["owner-1"] == 0.0
        # The borrower comes back after an hour; then it has eight hours left, or ten.
        assert found.starts["last"] == ends - HOUR
