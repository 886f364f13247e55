"""All of a log or the part that was asked for, whatever is in it."""

import os
from datetime import UTC, datetime

import pytest

from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.reading import PIECE_BYTES, read
from corral.engine.node.logs.stamping import stamp
from corral.engine.node.logs.time_index import TimeIndex
from tests.node.logs.run_of_lines import RunOfLines

pytestmark = pytest.mark.anyio
SECOND = 1_000_000_000


async def test_everything_is_read_byte_by_byte(run: RunOfLines) -> None:
    said = b"one\n" + bytes(range(256)) * 2000 + b"\x00\x00\nlast without an end"
    run.say(said)
    assert await run.shown() == said


async def test_a_log_without_a_word_is_empty(run: RunOfLines) -> None:
    for asked in (Asked(), Asked(tail=5), Asked(timestamps=True), Asked(since=datetime.now(UTC))):
        assert await run.shown(asked) == b""


async def test_the_last_lines(run: RunOfLines) -> None:
    run.say(b"one\ntwo\n\nfour\n")
    for lines, want in ((0, b""), (1, b"four\n"), (2, b"\nfour\n"), (3, b"two\n\nfour\n"), (4, b"one\ntwo\n\nfour\n")):
        assert await run.shown(Asked(tail=lines)) == want
    assert await run.shown(Asked(tail=99)) == b"one\ntwo\n\nfour\n"


async def test_a_line_that_is_not_ended_counts_among_the_last(run: RunOfLines) -> None:
    run.say(b"one\ntwo\nthr")
    assert await run.shown(Asked(tail=1)) == b"thr"
    assert await run.shown(Asked(tail=2)) == b"two\nthr"


async def test_last_lines_that_span_many_blocks(run: RunOfLines) -> None:
    lines = [b"%d %s\n" % (number, b"x" * (number % 5000)) for number in range(2000)]
    run.say(b"".join(lines))
    for count in (1, 77, 500, 1999, 2000):
        assert await run.shown(Asked(tail=count)) == b"".join(lines[-count:])


async def test_a_limit_counts_what_is_shown(run: RunOfLines) -> None:
    run.say(b"one\ntwo\nthree\n")
    assert await run.shown(Asked(most_bytes=6)) == b"one\ntw"
    assert await run.shown(Asked(most_bytes=6, tail=1)) == b"three\n"
    assert len(await run.shown(Asked(most_bytes=25, timestamps=True))) == 25
    assert await run.shown(Asked(most_bytes=1000)) == b"one\ntwo\nthree\n"


async def test_lines_have_the_times_of_the_index(run: RunOfLines) -> None:
    index = TimeIndex(run.log)
    for second, line in ((10, b"one\n"), (20, b"two\nthree\n")):
        run.say(line)
        index.note(second * SECOND, os.stat(run.log.path).st_size)
    shown = await run.shown(Asked(timestamps=True))
    at_10, at_20 = stamp(10 * SECOND), stamp(20 * SECOND)
    assert shown == at_10 + b"one\n" + at_20 + b"two\n" + at_20 + b"three\n"


async def test_only_lines_since_a_moment(run: RunOfLines) -> None:
    index = TimeIndex(run.log)
    for second, line in ((10, b"one\ntw"), (20, b"o\nthree\n"), (30, b"four\n")):
        run.say(line)
        index.note(second * SECOND, os.stat(run.log.path).st_size)
    os.utime(run.log.path, (30, 30))
    whole = b"one\ntwo\nthree\nfour\n"
    for since, want in ((5, whole), (10, whole), (11, b"three\nfour\n"), (21, b"four\n"), (31, b"")):
        moment = datetime.fromtimestamp(since, UTC)
        assert await run.shown(Asked(since=moment)) == want, since
    both = Asked(since=datetime.fromtimestamp(11, UTC), tail=1)
    assert await run.shown(both) == b"four\n"


async def test_a_line_longer_than_any_block_goes_in_pieces(run: RunOfLines) -> None:
    said = b"x" * (10 << 20) + b"\nend\n"
    run.say(said)
    for asked in (Asked(), Asked(tail=2), Asked(timestamps=True)):
        pieces = [piece async for piece in read(run.log, asked, lambda: True)]
        assert max(map(len, pieces)) <= PIECE_BYTES + 100
        lines = b"".join(pieces).splitlines()
        assert [line.split()[-1] for line in lines] == said.splitlines()
    assert await run.shown(Asked(tail=1)) == b"end\n"


async def test_a_log_that_is_not_there_is_told(run: RunOfLines) -> None:
    os.remove(run.log.path)
    with pytest.raises(FileNotFoundError):
        await run.shown()


async def test_reading_without_following_ends_though_the_log_grows(run: RunOfLines) -> None:
    run.say(b"x" * PIECE_BYTES * 2)
    size = 0
    async for piece in read(run.log, Asked(), lambda: False):
        size += len(piece)
        run.say(b"y" * PIECE_BYTES)
    assert size == PIECE_BYTES * 2
