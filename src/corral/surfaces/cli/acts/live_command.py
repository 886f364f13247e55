"""A command in a container at our own terminal or pipes: what is typed goes in, what it says comes out.

The main thread listens, so that signals are heard while it waits; another one reads what is typed. A terminal is made raw, so
that keys, also Ctrl-C, belong to the command; it is put back whatever happens.
"""

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from corral.surfaces.cli.connection import connected
from corral.surfaces.cli.render.output import tell

if TYPE_CHECKING:
    from corral.control.desk.commands import Wish
    from corral.ports.remote_commands import RunningCommand

_PIECE = 32 << 10
_ENDING = (signal.SIGTERM, signal.SIGHUP)


def has_terminal() -> bool:
    """Whether somebody sits at both our input and our output."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def run_live(wish: "Wish", words: Sequence[str], *, takes_input: bool, wants_terminal: bool) -> int:
    """Runs a command in a job, here, and returns its exit code; a terminal is given only where there is one."""
    from corral.control.desk.commands import spot_of

    is_terminal = wants_terminal and has_terminal()
    with connected() as session:
        spot = spot_of(session, wish)
        command = spot.command(*words, takes_input=takes_input, has_terminal=is_terminal)
        return carry(session.start_command(command), takes_input=takes_input, is_terminal=is_terminal)


def carry(running: "RunningCommand", *, takes_input: bool, is_terminal: bool) -> int:
    """Carries input and outputs until the command ends, and returns its exit code."""
    keyboard = sys.stdin.fileno() if takes_input else None
    try:
        with _raw(running, keyboard if is_terminal else None), _typed(running, keyboard):
            for data, is_error in running.pieces():
                stream = sys.stderr.buffer if is_error else sys.stdout.buffer
                stream.write(data)
                stream.flush()
        return running.exit_code()
    finally:
        running.close()


@contextmanager
def _typed(running: "RunningCommand", keyboard: int | None) -> Iterator[None]:
    """Sends what is typed as long as the block lasts."""
    if keyboard is None:
        yield
        return
    heard, wake = os.pipe()
    typing = threading.Thread(target=_send_typed, args=(running, keyboard, heard), daemon=True)
    typing.start()
    try:
        yield
    finally:
        os.close(wake)
        typing.join(0.2)  # one that waits for the command to read is freed when that is closed
        if not typing.is_alive():
            os.close(heard)


def _send_typed(running: "RunningCommand", keyboard: int, heard: int) -> None:
    # Not `select`, which knows no handles above 1023.
    poll = select.poll()
    for handle in (keyboard, heard):
        poll.register(handle, select.POLLIN)
    while True:
        if any(handle == heard for handle, _ in poll.poll()):
            return
        if not (data := _read(keyboard)):
            break
        running.send(data)
    if not running.end_input():
        tell("note: this API server cannot tell the command that its input has ended; Ctrl-C leaves it")


def _read(keyboard: int) -> bytes:
    try:
        return os.read(keyboard, _PIECE)
    except OSError:  # a terminal that was hung up
        return b""


@contextmanager
def _raw(running: "RunningCommand", keyboard: int | None) -> Iterator[None]:
    """Hands the keys of a terminal to the command, and tells it the terminal's size whenever that changes."""
    if keyboard is None:
        yield
        return
    import termios
    import tty

    def resized(*_: object) -> None:
        size = os.get_terminal_size(keyboard)
        running.resize(size.columns, size.lines)

    before = termios.tcgetattr(keyboard)
    handlers = {number: signal.signal(number, _leave) for number in _ENDING}
    handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, resized)
    try:
        tty.setraw(keyboard, termios.TCSADRAIN)  # what was typed already is not thrown away
        resized()
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _leave(number: int, _: FrameType | None) -> None:
    """Ends by way of an exception, so that the terminal is put back."""
    sys.exit(128 + number)
