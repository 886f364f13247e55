"""A reader that is cut off goes on where it was: no line is lost, and none comes twice."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.control.desk.logs.cursor import LONGEST_HELD, LogCursor, Piece, nanoseconds

BEGIN = 1_800_000_000 * 1_000_000_000


def stamp(moment: int) -> bytes:
    seconds, rest = divmod(moment, 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z".encode()


def served(lines: list[tuple[int, bytes]], since: str) -> bytes:
    """Returns what a server sends: whole seconds count, as in Kubernetes."""
    begin = nanoseconds(since.encode()) if since else 0
    return b"".join(stamp(moment) + b" " + text + b"\n" for moment, text in lines if moment >= begin)


def joined(pieces: list[Piece]) -> bytes:
    """Returns what a reader sees; a line that nobody ended is ended by the next one that starts."""
    out, is_open = b"", False
    for piece in pieces:
        out += (b"\n" if is_open and piece.starts else b"") + piece.text + (b"\n" if piece.ends else b"")
        is_open = not piece.ends
    return out


def read_with_cuts(lines: list[tuple[int, bytes]], cuts: list[int], later: int = 0) -> list[Piece]:
    """Reads a log that is cut after so many bytes of each stream; stamps grow by `later` between streams."""
    cursor, pieces = LogCursor(), list[Piece]()
    for number, cut in enumerate([*cuts, -1]):
        told = [(moment + later * number, text) for moment, text in lines]
        data = served(told, cursor.resumes_from if cursor.has_begun else "")
        cursor.begin()
        sent = data if cut < 0 else data[:cut]
        for at in range(0, len(sent), 997):
            pieces += cursor.feed(sent[at : at + 997])
    pieces += cursor.finish()
    return pieces + (cursor.go_on_regardless() if cursor.is_lost else [])


gaps = st.sampled_from([0, 1, 1_000_000, 400_000_000, 1_500_000_000])
texts = st.one_of(st.sampled_from([b"", b"step", b"loss=nan"]), st.integers(0, 99).map(lambda n: b"line %d" % n))


@st.composite
def logs(draw: st.DrawFn) -> list[tuple[int, bytes]]:
    moment, lines = BEGIN, []
    for gap, text in draw(st.lists(st.tuples(gaps, texts), min_size=1, max_size=120)):
        moment += gap
        lines.append((moment, text))
    return lines


@given(logs(), st.lists(st.integers(0, 6000), max_size=5))
@settings(max_examples=300, deadline=None)
def test_nothing_is_lost_and_nothing_comes_twice(lines: list[tuple[int, bytes]], cuts: list[int]) -> None:
    assert joined(read_with_cuts(lines, cuts)) == b"".join(text + b"\n" for _, text in lines)


@given(
    st.lists(gaps, min_size=1, max_size=200), st.lists(st.integers(0, 9000), max_size=4), st.integers(0, 900_000_000)
)
@settings(max_examples=200, deadline=None)
def test_lines_whose_stamps_are_told_otherwise_later_are_known_by_their_text(
    steps: list[int], cuts: list[int], later: int
) -> None:
    """A node that notes times once a second tells a later time of a line once it has noted one."""
    moments = [BEGIN + sum(steps[: at + 1]) for at in range(len(steps))]
    lines = [(moment, b"step %d of many" % at) for at, moment in enumerate(moments)]
    assert joined(read_with_cuts(lines, cuts, later)) == b"".join(text + b"\n" for _, text in lines)


def test_a_line_beyond_memory_comes_in_parts_and_is_one_line() -> None:
    text = bytes(range(48, 58)) * 100_000
    pieces = read_with_cuts([(BEGIN, b"before"), (BEGIN, text), (BEGIN, b"after")], [])
    assert len(pieces) > 3
    assert joined(pieces) == b"before\n" + text + b"\nafter\n"


def test_a_cut_within_a_line_beyond_memory_goes_on_behind_its_last_byte() -> None:
    text = bytes(range(48, 58)) * 100_000
    lines = [(BEGIN, b"before"), (BEGIN + 1, text), (BEGIN + 2, b"after")]
    for cut in (10, LONGEST_HELD // 2, LONGEST_HELD * 3 + 17, len(text), len(text) + 100):
        assert joined(read_with_cuts(lines, [cut])) == b"before\n" + text + b"\nafter\n", cut


def test_a_log_that_was_cut_short_meanwhile_goes_on_with_what_is_new() -> None:
    cursor = LogCursor()
    cursor.begin()
    seen = cursor.feed(served([(BEGIN + at, b"old %d" % at) for at in range(100)], ""))
    cursor.begin()
    seen += cursor.feed(served([(BEGIN + 1000 + at, b"new %d" % at) for at in range(3)], ""))
    assert cursor.is_lost
    seen += cursor.go_on_regardless()
    assert joined(seen).splitlines()[98:] == [b"old 98", b"old 99", b"new 0", b"new 1", b"new 2"]


def test_a_clock_that_goes_back_hides_no_line() -> None:
    lines = [(BEGIN + 5_000_000_000, b"late"), (BEGIN, b"early"), (BEGIN + 1, b"early too")]
    assert joined(read_with_cuts(lines, [])) == b"late\nearly\nearly too\n"


def test_a_last_line_without_an_end_is_told() -> None:
    cursor = LogCursor()
    cursor.begin()
    pieces = cursor.feed(stamp(BEGIN) + b" done\n" + stamp(BEGIN) + b" no end")
    assert joined(pieces + cursor.finish()) == b"done\nno end"


def test_stamps_of_any_zone_and_precision_are_compared() -> None:
    assert nanoseconds(b"2027-01-15T08:00:00.5Z") == nanoseconds(b"2027-01-15T16:00:00.500000000+08:00")
    assert nanoseconds(b"2027-01-15T08:00:00Z") < nanoseconds(b"2027-01-15T08:00:00.000000001Z")
    assert nanoseconds(b"no time at all") == 0


def test_a_reader_asks_again_from_a_whole_second() -> None:
    for zone in ("Z", "+08:00", "-05:00"):
        cursor = LogCursor()
        cursor.begin()
        cursor.feed(f"2027-01-15T08:00:01.987654321{zone} hello\n".encode())
        assert cursor.resumes_from == f"2027-01-15T08:00:01{zone}"


def test_another_log_of_the_same_second_is_read_once_however_often_it_is_cut() -> None:
    """A container that begins anew may say its first lines in the second of the last ones before."""
    first = [(BEGIN, b"one"), (BEGIN + 1, b"two")]
    second = [(BEGIN + 2, b"three"), (BEGIN + 3, b"four")]
    cursor, pieces = LogCursor(), list[Piece]()
    cursor.begin()
    pieces += cursor.feed(served(first, ""))
    for log in (second, second[:1], second, [*second, (BEGIN + 4, b"five")]):
        cursor.begin()
        for line in log:
            pieces += cursor.feed(served([line], cursor.resumes_from))
            if cursor.is_lost:
                pieces += cursor.go_on_regardless()
        pieces += cursor.finish()
        if cursor.is_lost:
            pieces += cursor.go_on_regardless()
    assert joined(pieces) == b"one\ntwo\nthree\nfour\nfive\n"
