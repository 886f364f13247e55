"""What is left of pods that are no more is cleared away again and again, and whoever waits for it can read why."""

import logging

import pytest

from corral.engine.node.pods.strangers import Strangers
from corral.errors import RetryError
from corral.kinds.references import ObjectKey

KEY, OTHER = ObjectKey("default", "stays"), ObjectKey("default", "goes")


def test_what_stays_is_told_with_growing_pauses_and_holds_its_name_back(caplog: pytest.LogCaptureFixture) -> None:
    is_stuck = True

    def clear(uid: str) -> None:
        if uid == "stays" and is_stuck:
            raise RetryError("processes-left", "process 7 cannot be killed")

    strangers = Strangers({"stays": KEY, "goes": OTHER, "nameless": None}, clear)
    with caplog.at_level(logging.WARNING):
        freed = [strangers.clear() for _ in range(20)]

    assert freed == [[OTHER], *([[]] * 19)]
    assert (strangers.holds_back(KEY), strangers.holds_back(OTHER)) == (True, False)
    told = [(vars(record)["tries"], vars(record)["why"]) for record in caplog.records]
    assert not any(record.exc_info for record in caplog.records)
    assert told == [(tries, "process 7 cannot be killed") for tries in (1, 2, 4, 8, 16)]

    is_stuck = False
    assert strangers.clear() == [KEY]
    assert not strangers


def test_a_fault_of_ours_is_told_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    def clear(uid: str) -> None:
        raise LookupError(uid)

    with caplog.at_level(logging.WARNING):
        Strangers({"odd": None}, clear).clear()
    assert "LookupError: odd" not in caplog.records[0].message
    assert caplog.records[0].exc_info is not None
