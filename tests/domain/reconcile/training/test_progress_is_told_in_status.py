"""Progress in status: percent, speed and time left, rounded, and written no more often than people look."""

from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.training.status import Progress
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.progress import (
    WRITE_EVERY,
    progress_of,
    report_in_status,
    wait_before_write,
)
from corral.reconcile.training.world import Report
from tests.domain.reconcile.training.running_jobs import NOW


def follow(steps: list[tuple[int, float]], total: int | None = 1000) -> Progress:
    progress: Progress | None = None
    for step, after in steps:
        progress = progress_of(Report(step, total, {}, NOW + after), progress, None, NOW + after)
    assert progress is not None
    return progress


def test_the_first_report_tells_how_far_but_not_how_fast() -> None:
    told = progress_of(Report(120, 1000, {"loss": 0.123456789}, NOW), None, None, NOW)
    assert told == Progress(step=120, total=1000, percent=12.0, metrics={"loss": 0.123457}, step_time=stamp_of(NOW))


def test_speed_and_time_left_follow_from_the_second() -> None:
    told = follow([(100, 0), (200, 10)])
    assert (told.steps_per_second, told.seconds_left, told.percent) == (10.0, 80, 20.0)


def test_speed_is_smoothed() -> None:
    steady = [(n * 100, n * 10.0) for n in range(5)]
    assert follow([*steady, (410, 50.0)]).steps_per_second == 9.02
    slower = [*steady, *((400 + n * 10, 40 + n * 10.0) for n in range(1, 60))]
    assert follow(slower).steps_per_second is not None
    assert 1.0 <= (follow(slower).steps_per_second or 0) < 1.05


def test_a_restart_from_an_earlier_step_keeps_the_speed() -> None:
    told = follow([(100, 0), (200, 10), (150, 20)])
    assert (told.step, told.steps_per_second, told.seconds_left) == (150, 10.0, 85)


def test_the_policy_gives_the_total_that_the_job_does_not_report() -> None:
    assert progress_of(Report(5, None, {}, NOW), None, 10, NOW).percent == 50.0
    assert progress_of(Report(5, 20, {}, NOW), None, 10, NOW).percent == 25.0
    assert progress_of(Report(5, None, {}, NOW), None, None, NOW).percent is None


def test_the_end_leaves_no_time() -> None:
    assert progress_of(Report(10, 10, {}, NOW), None, None, NOW).seconds_left == 0
    told = follow([(100, 0), (1001, 10)])
    assert (told.percent, told.seconds_left) == (100.0, 0)


def test_the_same_report_is_never_written_twice() -> None:
    report = Report(120, 1000, {"loss": 1 / 3}, NOW)
    told = progress_of(report, None, None, NOW)
    for later in (1, 60, 3600):
        assert progress_of(report, told, None, NOW + later) == told
        assert wait_before_write(told, progress_of(report, told, None, NOW + later), NOW + later) is None


def test_writes_are_ten_seconds_apart() -> None:
    old = progress_of(Report(1, 10, {}, NOW), None, None, NOW)
    new = progress_of(Report(2, 10, {}, NOW + 3), old, None, NOW + 3)
    assert wait_before_write(old, new, NOW + 3) == 7.0
    assert wait_before_write(old, new, NOW + WRITE_EVERY) == 0.0
    assert wait_before_write(None, new, NOW) == 0.0


def test_the_end_is_written_at_once() -> None:
    old = progress_of(Report(1, 10, {}, NOW), None, None, NOW)
    assert wait_before_write(old, progress_of(Report(10, 10, {}, NOW + 1), old, None, NOW + 1), NOW + 1) == 0.0


def test_nothing_said_is_nothing_written() -> None:
    assert wait_before_write(None, None, NOW) is None
    assert wait_before_write(None, progress_of(Report(), None, None, NOW), NOW) is None


def test_a_clock_that_went_back_does_not_hold_writes_for_ever() -> None:
    old = progress_of(Report(1, 10, {}, NOW), None, None, NOW)
    new = progress_of(Report(2, 10, {}, NOW - 3600), old, None, NOW - 3600)
    assert wait_before_write(old, new, NOW - 3600) == WRITE_EVERY


def test_the_status_brings_the_report_back_after_a_restart() -> None:
    report = Report(120, 1000, {"loss": 0.5}, NOW)
    assert report_in_status(progress_of(report, None, None, NOW)) == report


whole = st.integers(0, 2**53)
moments = st.floats(0, 4e9)


@given(
    st.lists(st.tuples(whole, st.none() | whole, moments), min_size=1, max_size=6), st.none() | st.integers(1, 2**53)
)
def test_percent_and_time_left_are_always_possible(
    seen: list[tuple[int, int | None, float]], job_total: int | None
) -> None:
    progress: Progress | None = None
    for step, total, now in seen:
        progress = progress_of(Report(step, total, {}, now), progress, job_total, now)
        assert progress.percent is None or 0.0 <= progress.percent <= 100.0
        assert progress.seconds_left is None or progress.seconds_left >= 0
        assert progress.steps_per_second is None or progress.steps_per_second >= 0
