"""When a child is started again.

| how it ended | uptime | quick ends before | what follows |
|---|---|---|---|
| any status or signal | any | none | at once |
| any | short | 1, 2, 3, ... | 0.2 s, doubling to 15 s, a quarter more or less |
| any | 30 s and more | any | at once: the streak is over |
| exit status 70 | any | any | waits for a person |
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.supervisor.restarts import LONGEST_WAIT, PERMANENT_EXIT, after_exit, spoken


def test_the_first_end_is_answered_at_once() -> None:
    assert after_exit(-9, uptime=0.1, streak=0, jitter=0.9).wait == 0.0


def test_a_long_healthy_run_ends_the_streak() -> None:
    verdict = after_exit(1, uptime=31.0, streak=9, jitter=0.5)
    assert (verdict.wait, verdict.streak, verdict.is_crash_loop) == (0.0, 1, False)


@pytest.mark.parametrize(("streak", "want_wait"), [(1, 0.2), (2, 0.4), (3, 0.8), (9, 15.0), (5000, 15.0)])
def test_waits_double_up_to_the_longest(streak: int, want_wait: float) -> None:
    assert after_exit(1, uptime=0.1, streak=streak, jitter=0.5).wait == pytest.approx(want_wait)


def test_four_quick_ends_are_a_crash_loop() -> None:
    assert not after_exit(1, uptime=0.1, streak=2, jitter=0).is_crash_loop
    assert after_exit(1, uptime=0.1, streak=3, jitter=0).is_crash_loop


def test_a_child_that_asks_for_a_person_is_not_started_again() -> None:
    assert after_exit(PERMANENT_EXIT, uptime=100.0, streak=0, jitter=0).wait is None


@given(st.integers(-64, 255), st.floats(0, 1e6), st.integers(0, 10**6), st.floats(0, 1, exclude_max=True))
def test_waits_are_never_negative_nor_much_longer_than_the_longest(
    status: int, uptime: float, streak: int, jitter: float
) -> None:
    wait = after_exit(status, uptime, streak, jitter).wait
    assert wait is None or 0 <= wait <= LONGEST_WAIT * 1.25


def test_ends_are_told_in_words() -> None:
    assert (spoken(-9), spoken(1)) == ("signal 9", "exit status 1")
