"""What others wrote cannot steer a terminal; into a file it goes as it is."""

import io

import pytest

from corral.control.desk.logs.cursor import Piece
from corral.surfaces.cli.render.log_lines import LogWriter
from corral.surfaces.cli.speech.harmless import harmless

STEERING = (
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[H",
    "\x1bP+q544e\x1b\\",
    "\x9b31m",
    "\x1b[6n",
    "a\bb\x7f",
    "\x00\x0b\x0c\x0e\x0f",
    "‮drowssap",
    "⁦x⁩",
)


@pytest.mark.parametrize("text", STEERING)
def test_no_escape_and_no_control_character_passes(text: str) -> None:
    shown = harmless(text)
    assert all(sign.isprintable() for sign in shown), repr(shown)


def test_colours_are_dropped_and_plain_text_stays() -> None:
    assert harmless("\x1b[1;31mloss\x1b[0m\t0.5 ✓ 训练\n") == "loss\t0.5 ✓ 训练\n"


def written(*pieces: tuple[str, Piece], **how: bool) -> bytes:
    stream = io.BytesIO()
    writer = LogWriter(stream, **{"marked": True, "is_terminal": False, "coloured": False, **how})
    for label, piece in pieces:
        writer.write(label, piece)
    writer.end()
    return stream.getvalue()


def line(text: bytes, *, starts: bool = True, ends: bool = True) -> Piece:
    return Piece(b"2027-01-15T08:00:00.000000000Z", text, starts, ends)


def test_lines_are_marked_with_their_rank() -> None:
    assert written(("worker-0", line(b"a")), ("worker-1", line(b"b"))) == b"[worker-0] a\n[worker-1] b\n"


def test_a_single_pod_needs_no_mark_and_keeps_its_bytes() -> None:
    assert written(("w", line(b"\xff\x1b[31m")), ("w", line(b"end", ends=False)), marked=False) == b"\xff\x1b[31m\nend"


def test_a_line_in_parts_stays_one_line_until_another_rank_speaks() -> None:
    parts = [("a", line(b"one ", ends=False)), ("a", line(b"two", starts=False)), ("b", line(b"x", ends=False))]
    parts += [("a", line(b"y")), ("b", line(b"z", starts=False))]
    assert written(*parts) == b"[a] one two\n[b] x\n[a] y\n[b] z\n"


def test_time_stamps_stand_behind_the_mark() -> None:
    assert written(("a", line(b"x")), timestamps=True) == b"[a] 2027-01-15T08:00:00.000000000Z x\n"


def test_marks_have_a_colour_each_when_asked_for() -> None:
    shown = written(("a", line(b"x")), ("b", line(b"y")), ("a", line(b"z")), is_terminal=True, coloured=True)
    marks = [mark.rpartition(b"m[")[0] for mark in shown.splitlines()]
    assert marks[0] == marks[2] != marks[1]


def test_on_a_terminal_a_progress_bar_becomes_lines_and_no_rank_can_forge_a_mark_of_another() -> None:
    shown = written(("a", line(b"10%\r20%\r\x1b[A[b] lie")), is_terminal=True)
    assert shown == "[a] 10%\n[a] 20%\n[a] ␛[A[b] lie\n".encode()


def test_a_sign_that_is_cut_in_two_parts_is_shown_whole() -> None:
    euro = "€".encode()
    parts = [("a", line(euro[:1], ends=False)), ("a", line(euro[1:], starts=False))]
    assert written(*parts, is_terminal=True) == "[a] €\n".encode()
