"""However much is decided at once, the ledger stays within what an object of a server may hold."""

import pytest

from corral.control.scheduling.outbox import Outbox
from corral.control.scheduling.promises import Promises, State, group_name
from corral.errors import PermanentError
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import MOST_BYTES, Decision, Ledger, ledger_of, object_of, size_of

NAMES = [f"a-training-job-with-a-name-worker-{index}" for index in range(5000)]


def gang(name: str, size: int, undone: bool = False) -> list[Decision]:
    """Returns decisions about a gang in a cluster with long names."""
    return [
        Decision(
            f"{name:-<8.8}-4e5f-4a6b-8c7d-{index:012x}",
            ObjectKey("a-team-with-a-long-name", f"{name}-{NAMES[index]}"),
            f"ip-10-0-{index % 250}-{index // 250}.eu-central-1.compute.internal",
            (0, 1, 2, 3, 4, 5, 6, 7),
            f"a-team-with-a-long-name/{name}",
            undone,
        )
        for index in range(size)
    ]


def test_what_is_written_is_read_again() -> None:
    rows = (*gang("one", 3), *gang("two", 2, undone=True), Decision("u", ObjectKey("ns", "alone"), "n"))
    ledger = Ledger(7, "me", rows)
    assert ledger_of(object_of(ledger, {"metadata": {}})) == ledger


def test_a_row_without_a_list_of_names_is_read_as_it_was_written_before() -> None:
    data = {"epoch": "3", "holder": "me", "decisions": '[["u","ns/p","n",[1],"ns/g","undo"]]'}
    wanted = Decision("u", ObjectKey("ns", "p"), "n", (1,), "ns/g", is_undone=True)
    assert ledger_of({"metadata": {}, "data": data}) == Ledger(3, "me", (wanted,))


@pytest.mark.parametrize("number", [-1, 9])
def test_a_row_that_names_nobody_is_refused(number: int) -> None:
    data = {"names": '["ns"]', "decisions": f'[["u",0,"p",{number},[],0,""]]'}
    with pytest.raises(PermanentError, match="cannot be read"):
        ledger_of({"metadata": {}, "data": data})


def test_a_gang_of_five_thousand_fits() -> None:
    assert size_of(gang("one", 5000)) < MOST_BYTES < 2**20


def test_what_does_not_fit_beside_the_rest_follows_when_that_is_settled() -> None:
    outbox, promises = Outbox(), Promises()
    gangs = [gang(f"g{number:02}", 256) for number in range(48)]
    for one in gangs:
        promises.add(one)
        outbox.put(one)

    written: list[str] = []
    while len(written) < len(gangs):
        writing = outbox.take(promises, 1000)
        assert size_of(writing.rows) <= MOST_BYTES - 1000
        names = list(dict.fromkeys(map(group_name, writing.fresh)))
        assert names
        assert len(writing.fresh) == 256 * len(names)
        written += names
        for name in names:
            for uid in [one.uid for one in writing.fresh if group_name(one) == name]:
                promises.settle(uid, State.GONE)
            promises.close(name)
    assert written == [group_name(one[0]) for one in gangs]


def test_a_gang_that_fits_nowhere_is_handed_back_and_holds_up_nobody() -> None:
    outbox, promises = Outbox(), Promises()
    large, small = gang("large", 5000), gang("small", 2)
    for one in (large, small):
        promises.add(one)
        outbox.put(one)

    writing = outbox.take(promises, MOST_BYTES - 10_000)

    assert writing.too_large == (tuple(large),)
    assert writing.fresh == tuple(small)


def test_a_server_that_takes_less_gets_less_at_a_time() -> None:
    outbox, promises = Outbox(), Promises()
    for number in range(8):
        promises.add(gang(f"g{number}", 10))
        outbox.put(gang(f"g{number}", 10))
    first = outbox.take(promises, 0)
    outbox.was_refused(first)

    second = outbox.take(promises, 0)

    assert 0 < size_of(second.rows) <= size_of(first.rows) // 2
    assert second.fresh == first.fresh[: len(second.fresh)]
