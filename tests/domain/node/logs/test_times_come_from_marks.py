"""A mark says by when everything before a position was written; lines and questions for times are answered from marks."""

from corral.engine.node.logs.stamping import stamp, stamped
from corral.engine.node.logs.time_index import MOST_MARKS, Marks

SECOND = 1_000_000_000


def _marks(*given: tuple[int, int]) -> Marks:
    marks = Marks()
    for seconds, position in given:
        marks.add(seconds * SECOND, position)
    return marks


def test_a_time_is_shown_to_the_nanosecond() -> None:
    assert stamp(1_700_000_000 * SECOND + 5) == b"2023-11-14T22:13:20.000000005Z "


def test_a_line_has_the_time_by_which_its_first_byte_was_there() -> None:
    marks = _marks((1, 4), (2, 10))
    shown = stamped(b"one\ntwo\nthree\n", 0, marks, 3 * SECOND, is_line_start=True)
    first, second, third = shown.splitlines()
    assert first == stamp(1 * SECOND) + b"one"
    assert second == stamp(2 * SECOND) + b"two"
    assert third == stamp(2 * SECOND) + b"three"


def test_what_no_mark_tells_of_has_the_time_of_the_last_writing() -> None:
    assert stamped(b"new\n", 10, _marks((1, 10)), 3 * SECOND, is_line_start=True) == stamp(3 * SECOND) + b"new\n"


def test_the_rest_of_a_line_has_no_time_of_its_own() -> None:
    shown = stamped(b"rest\nnext", 10, _marks((1, 100)), 0, is_line_start=False)
    assert shown == b"rest\n" + stamp(1 * SECOND) + b"next"
    assert stamped(b"still the same line", 10, _marks((1, 100)), 0, is_line_start=False) == b"still the same line"


def test_a_part_since_a_moment_begins_after_the_last_mark_before_it() -> None:
    marks = _marks((10, 100), (20, 200), (30, 300))
    for since, last_written, want in (
        (5, 30, 0),
        (10, 30, 0),
        (11, 30, 100),
        (30, 30, 200),
        (31, 30, 350),
        (31, 40, 300),
    ):
        assert marks.position_since(since * SECOND, last_written * SECOND, 350) == want, since


def test_times_never_go_back() -> None:
    marks = _marks((10, 100), (5, 200), (20, 300))
    assert list(marks.times) == [10 * SECOND, 10 * SECOND, 20 * SECOND]


def test_old_marks_are_thinned_and_useless_ones_dropped() -> None:
    marks = _marks(*((second, second * 10) for second in range(1, MOST_MARKS + 2)))
    thinned = marks.thinned(first=1005)
    assert thinned.positions[0] == 1000
    assert len(thinned) < MOST_MARKS * 3 // 4
    assert list(thinned.positions[-MOST_MARKS // 2 :]) == list(marks.positions[-MOST_MARKS // 2 :])
    assert list(thinned.positions) == sorted(set(thinned.positions))
    assert thinned.end == marks.end
