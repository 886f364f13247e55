"""A log that grows too long loses its beginning, whole lines of it, and nothing else; both ways of cutting."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from corral.engine.node.logs import hole_punching, reading
from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.cutting import cut, settle
from corral.engine.node.logs.hole_punching import Punch
from corral.engine.node.logs.keeping import LiveLogs
from corral.engine.node.logs.log_file import LogFile
from corral.engine.node.logs.reading import UnreadLogError, read
from corral.engine.node.logs.time_index import Kept, TimeIndex, read_kept, read_marks
from corral.testing.waiting import eventually
from tests.node.logs.run_of_lines import RunOfLines, cannot_punch

pytestmark = pytest.mark.anyio
MEGABYTE = 1 << 20
WAYS = pytest.mark.parametrize("punch", [hole_punching.punch, cannot_punch], ids=["holes", "copies"])


def _lines(first: int, count: int) -> bytes:
    return b"".join(b"line %09d of many that are said here\n" % number for number in range(first, first + count))


LINE = len(_lines(0, 1))


def _put(path: str, data: bytes) -> None:
    Path(path).write_bytes(data)


def _numbers(shown: bytes) -> list[int]:
    assert b"\0" not in shown
    assert re.fullmatch(rb"(line \d{9} of many that are said here\n)*", shown)
    return [int(line.split()[1]) for line in shown.splitlines()]


@WAYS
async def test_the_end_stays_whole_and_the_beginning_goes(run_on: RunOfLines, punch: Punch) -> None:
    index = TimeIndex(run_on.log)
    count, latest = 60_000, 0
    for turn in range(5):
        run_on.say(_lines(turn * count, count))
        latest = (turn + 1) * count
        cut(run_on.log, index, MEGABYTE, punch)
        numbers = _numbers(await run_on.shown())
        assert numbers == list(range(numbers[0], latest))
        assert MEGABYTE // 3 < len(numbers) * 40 <= MEGABYTE
    assert run_on.taken_bytes() <= MEGABYTE + 8192
    assert _numbers(await run_on.shown(Asked(tail=10))) == list(range(latest - 10, latest))


async def test_a_file_system_here_gives_back_blocks(run_on: RunOfLines) -> None:
    """Both kinds that tests use can, so the way with holes was really taken above."""
    descriptor = os.open(run_on.log.path, os.O_RDWR)
    try:
        assert hole_punching.is_possible(descriptor)
    finally:
        os.close(descriptor)


@WAYS
async def test_a_follower_sees_every_line_while_the_log_is_cut(run_on: RunOfLines, punch: Punch) -> None:
    index = TimeIndex(run_on.log)
    seen: list[int] = []

    async def follow() -> None:
        rest = b""
        async for piece in read(run_on.log, Asked(follow=True), lambda: run_on.is_over):
            whole, _, rest = (rest + piece).rpartition(b"\n")
            seen.extend(_numbers(whole + b"\n"))

    following = asyncio.ensure_future(follow())
    for turn in range(20):
        run_on.say(_lines(turn * 10_000, 10_000))
        await eventually(lambda wanted=(turn + 1) * 10_000: len(seen) == wanted)  # type: ignore[misc]
        cut(run_on.log, index, MEGABYTE, punch)
    run_on.is_over = True
    await following
    assert seen == list(range(200_000))


@WAYS
async def test_a_reader_that_is_too_slow_goes_on_with_a_whole_line(run: RunOfLines, punch: Punch) -> None:
    run.say(_lines(0, 100_000) + b"half a line")
    stream = read(run.log, Asked(follow=True), lambda: run.is_over)
    first = await anext(stream)
    run.say(b" and its end\n" + _lines(100_000, 100_000))
    cut(run.log, TimeIndex(run.log), MEGABYTE, punch)
    run.is_over = True
    rest = b"".join([piece async for piece in stream])
    before, newline, after = rest.partition(b"\n")
    assert newline
    assert (first + before).startswith(b"line 000000000")
    numbers = _numbers(after)
    assert numbers == list(range(numbers[0], 200_000))


@WAYS
async def test_a_reader_whose_piece_is_cut_away_while_it_reads_hears_the_end(
    run: RunOfLines, punch: Punch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last cut comes when the run is over, and may fall between reading a piece and asking whether it is still kept."""
    run.say(_lines(0, 100_000))
    run.is_over = True
    reading, cuts = os.pread, [1]

    def read_and_be_cut(descriptor: int, most: int, place: int) -> bytes:
        data = reading(descriptor, most, place)
        if cuts:
            cuts.pop()
            cut(run.log, TimeIndex(run.log), MEGABYTE, punch)
        return data

    monkeypatch.setattr(os, "pread", read_and_be_cut)
    numbers = _numbers(await run.shown(Asked(follow=True)))
    assert numbers == list(range(numbers[0], 100_000))


async def test_a_cut_while_the_end_is_looked_for_is_no_end(run: RunOfLines, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is as short as never before when its size is asked for, and the base that goes with it is told just then."""
    run.say(_lines(0, 100_000))
    run.is_over = True
    index, sizes, cuts = TimeIndex(run.log), os.fstat, [1]

    def be_cut_and_tell_the_size(descriptor: int) -> os.stat_result:
        if cuts and sizes(descriptor).st_ino == os.stat(run.log.path).st_ino:
            cuts.pop()
            run.say(_lines(100_000, 5))
            cut(run.log, index, MEGABYTE, cannot_punch)
        return sizes(descriptor)

    with LogFile(run.log) as file:
        monkeypatch.setattr(os, "fstat", be_cut_and_tell_the_size)
        assert file.known_end() == 100_005 * LINE


async def test_nothing_is_read_while_the_file_is_being_cut(run: RunOfLines) -> None:
    """Between the word of the writer and its deed positions lead into what an earlier cut has put aside."""
    index = TimeIndex(run.log)
    run.say(_lines(0, 50_000))
    cut(run.log, index, MEGABYTE, cannot_punch)
    run.say(_lines(50_000, 50_000))
    position, kept = 60_000 * LINE, index.kept
    index.publish(Kept(kept.generation + 1, 100_000 * LINE, 90_000 * LINE, kept.base))
    with LogFile(run.log) as file:
        assert file.read(position, LINE) == (position, b"")
        assert file.known_end() is None
        index.publish(kept._replace(generation=kept.generation + 2))
        assert file.read(position, LINE) == (position, _lines(60_000, 1))


@pytest.mark.parametrize("follow", [True, False])
async def test_a_cut_that_never_ends_is_an_error_and_no_end(
    run: RunOfLines, monkeypatch: pytest.MonkeyPatch, follow: bool
) -> None:
    monkeypatch.setattr(reading, "_LOOKS_IN_VAIN", 3)
    run.say(_lines(0, 10))
    run.is_over = True
    index = TimeIndex(run.log)
    index.publish(index.kept._replace(generation=1, base=4000, base_before=0))
    with pytest.raises(UnreadLogError, match="does not come to an end"):
        await run.shown(Asked(follow=follow))


async def test_what_has_no_lines_is_cut_all_the_same(run: RunOfLines) -> None:
    index = TimeIndex(run.log)
    run.say(b"\xff" * (4 * MEGABYTE))
    cut(run.log, index, MEGABYTE)
    assert await run.shown() == b"\xff" * MEGABYTE


@WAYS
async def test_times_hold_across_a_cut(run: RunOfLines, punch: Punch) -> None:
    index = TimeIndex(run.log)
    for second in range(1, 5):
        run.say(_lines(second * 20_000, 20_000))
        index.note(second * 10**9, index.kept.base + os.stat(run.log.path).st_size)
        cut(run.log, index, MEGABYTE, punch)
    lines = (await run.shown(Asked(timestamps=True))).splitlines()
    for line in lines:
        assert int(line[17:19]) == int(line.split()[2]) // 20_000


@pytest.mark.parametrize("moment", ["before the cut", "after the cut", "after the rename"])
async def test_an_interrupted_cut_is_settled(run: RunOfLines, moment: str) -> None:
    """The node is killed in the midst of copying and cutting; the container goes on saying things."""
    index = TimeIndex(run.log)
    run.say(_lines(0, 30_000))
    cut(run.log, index, MEGABYTE, cannot_punch)
    older = _numbers(await run.shown())[0]
    run.say(_lines(30_000, 30_000))
    kept, aside = index.kept, run.log.older + ".new"
    start, said = len(_lines(30_000, 15_000)), _lines(45_000, 15_000)
    _put(aside, said)
    index.publish(Kept(kept.generation + 1, kept.base + start + len(said), kept.base + start, kept.base))
    if moment != "before the cut":
        os.truncate(run.log.path, 0)
    if moment == "after the rename":
        os.replace(aside, run.log.older)
    run.say(_lines(60_000, 5))
    settle(run.log, TimeIndex(run.log))
    numbers = _numbers(await run.shown())
    assert numbers == list(range(numbers[0], 60_005))
    assert (numbers[0] == older) == (moment == "before the cut")


async def test_live_logs_are_cut_and_marked_by_themselves(run_on: RunOfLines) -> None:
    live = LiveLogs(keep_bytes=MEGABYTE)
    live.begin(run_on.log)
    run_on.say(_lines(0, 100_000))
    await eventually(lambda: read_kept(run_on.log).first > 0)
    await eventually(lambda: run_on.taken_bytes() <= MEGABYTE + 8192)
    run_on.say(_lines(100_000, 3))
    await live.end(run_on.log)
    assert read_marks(run_on.log).end == os.stat(run_on.log.path).st_size
    assert len(live) == 0
    await live.close()


async def test_whoever_takes_over_goes_on_with_the_index(run: RunOfLines) -> None:
    first = LiveLogs()
    first.begin(run.log)
    run.say(b"one\n")
    await eventually(lambda: read_marks(run.log).end == 4)
    await first.close()
    run.say(b"two\n")
    second = LiveLogs()
    second.begin(run.log)
    await eventually(lambda: read_marks(run.log).end == 8)
    await second.end(run.log)
    await second.close()
    assert list(read_marks(run.log).positions) == [4, 8]


async def test_a_container_that_empties_its_log_loses_only_what_was_there(run: RunOfLines) -> None:
    live = LiveLogs(keep_bytes=MEGABYTE)
    live.begin(run.log)
    run.say(_lines(0, 100_000))
    await eventually(lambda: read_kept(run.log).first > 0)
    os.truncate(run.log.path, 0)
    run.say(_lines(7, 3))
    await eventually(lambda: read_kept(run.log).first == 0)
    assert _numbers(await run.shown()) == [7, 8, 9]
    await live.close()


async def test_a_log_that_is_gone_does_not_disturb_the_others(run: RunOfLines) -> None:
    live = LiveLogs()
    gone = run.log._replace(folder=os.path.join(run.log.folder, "nowhere"))
    live.begin(gone)
    live.begin(run.log)
    run.say(b"here\n")
    await eventually(lambda: read_marks(run.log).end == 5)
    await live.end(gone)
    await live.close()
