"""The program of an MPI worker: waits for commands and starts them, as the sshd of a cluster's image would.

It listens on a socket in the folder of its run. Whoever may open that folder hands over a command and its three open files;
the command becomes a child of the worker, inside everything that the worker is inside of. Joining from outside would need
rights that a user's container does not have over another one.

    to the door     4 bytes length, JSON {"argv": [...]}, with three handles; afterwards one byte for each signal
    from the door   one byte, the exit code, when the command has ended

A connection that closes means that whoever waited is gone: the command is killed. Standard library only, and little of it.
"""

import array
import json
import os
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Callable, Sequence

from corral.engine.node.containers.record import MARK
from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.pod_finding import FOLDER_VARIABLE

NAME = "door"
"""The socket, in the folder of the run."""
_HANDLES = 3
_LENGTH = struct.Struct("!I")
_LONGEST = 1 << 24
_NOT_FOUND, _NOT_EXECUTABLE, _KILLED = 127, 126, 137
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


# --- the worker's side ---


def main() -> None:
    """Waits for commands until the process is ended."""
    uid, container, number = os.environ[MARK].split("/")
    listener = opened(NodeFolder(os.environ[FOLDER_VARIABLE]).run(uid, container, int(number)))
    sys.stdout.write("waiting for commands of the launcher\n")
    sys.stdout.flush()
    Door(listener).serve()


def opened(folder: str) -> socket.socket:
    """Returns the listening socket of a run."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    _at(folder, listener.bind)
    listener.listen(128)
    return listener


class _Caller:
    """One connection: at first an order that is not complete yet, then the command that it became."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received = b""
        self.handles: list[int] = []
        self.pid = 0

    def hear(self) -> bool:
        """Takes what was sent; False when nobody is there any more."""
        try:
            data, ancillary, _, _ = self.connection.recvmsg(65536, socket.CMSG_SPACE(_HANDLES * 4))
        except OSError:
            return False
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                numbers = array.array("i")
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
                self.handles.extend(numbers)
        for handle in self.handles:
            os.set_inheritable(handle, False)
        self.received += data
        return bool(data) and len(self.received) <= _LONGEST

    def order(self) -> list[str] | None:
        """Returns the command once it is here as a whole."""
        if len(self.received) < _LENGTH.size:
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self.received)[0]
        if len(self.received) < end:
            return None
        argv = [str(word) for word in json.loads(self.received[_LENGTH.size : end])["argv"]]
        self.received = self.received[end:]
        return argv

    def start(self, argv: list[str]) -> int:
        """Starts the command and returns 0, or the code of a shell that could not."""
        places = [(os.POSIX_SPAWN_DUP2, handle, place) for place, handle in enumerate(self.handles[:_HANDLES])]
        try:
            self.pid = os.posix_spawnp(
                argv[0], argv, os.environ, file_actions=places, setpgroup=0, setsigdef=(signal.SIGPIPE,)
            )
        except FileNotFoundError:
            return _NOT_FOUND
        except OSError:
            return _NOT_EXECUTABLE
        finally:
            self.drop_handles()
        return 0

    def hand_on(self) -> None:
        """Sends the signals that were asked for to the command and its group."""
        for number in self.received:
            _signal_group(self.pid, number)
        self.received = b""

    def answer(self, code: int) -> None:
        """Tells the exit code and hangs up."""
        _send(self.connection, bytes((code & 255,)))
        self.connection.close()

    def drop_handles(self) -> None:
        """Closes the files that the command has by now."""
        for handle in self.handles:
            os.close(handle)
        self.handles = []


class Door:
    """Serves callers, one command each, in one thread."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._running: dict[int, _Caller] = {}

    def serve(self) -> None:
        """Serves until the process is ended."""
        woken, waking = socket.socketpair()
        waking.setblocking(False)
        woken.setblocking(False)
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(woken, selectors.EVENT_READ)
        self._selector.register(self._listener, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    caller = _Caller(self._listener.accept()[0])
                    self._selector.register(caller.connection, selectors.EVENT_READ, caller)
                elif key.fileobj is woken:
                    woken.recv(4096)
                elif key.data.connection.fileno() >= 0:
                    self._heard(key.data)
            self._reap()

    def _heard(self, caller: _Caller) -> None:
        if not caller.hear():
            if caller.pid:
                _signal_group(caller.pid, signal.SIGKILL)
                self._selector.unregister(caller.connection)
            else:
                self._end(caller, _KILLED)
            return
        if caller.pid:
            caller.hand_on()
            return
        try:
            argv = caller.order()
        except (ValueError, KeyError, TypeError):
            self._end(caller, _NOT_EXECUTABLE)
            return
        if argv is None:
            return
        code = caller.start(argv) if argv and len(caller.handles) >= _HANDLES else _NOT_EXECUTABLE
        if code:
            self._end(caller, code)
        else:
            self._running[caller.pid] = caller

    def _reap(self) -> None:
        for pid, caller in list(self._running.items()):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                del self._running[pid]
                code = os.waitstatus_to_exitcode(status)
                self._end(caller, code if code >= 0 else 128 - code)

    def _end(self, caller: _Caller, code: int) -> None:
        if caller.connection in self._selector.get_map():
            self._selector.unregister(caller.connection)
        caller.drop_handles()
        caller.answer(code)


# --- the launcher's side ---


def knock(folder: str) -> socket.socket | None:
    """Returns a connection to the door of a run, None when it is not open, or not yet."""
    caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _at(folder, caller.connect)
    except (FileNotFoundError, ConnectionRefusedError):
        caller.close()
        return None
    return caller


def run_behind(connection: socket.socket, argv: Sequence[str]) -> int:
    """Runs a command behind a door with the files of this process, and returns its exit code.

    Signals that this process gets are handed on. When the worker ends, so has the command: killed.
    """
    order = json.dumps({"argv": list(argv)}).encode()
    message = _LENGTH.pack(len(order)) + order
    for number in _FORWARDED:
        signal.signal(number, lambda number, _frame: _send(connection, bytes((number,))))
    # Signals wait until the order is sent: in its midst they would be a part of it, and without a handler the end of this process.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    try:
        sent = socket.send_fds(connection, [message], [0, 1, 2])
        if sent < len(message):
            connection.sendall(message[sent:])
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        answer = connection.recv(1)
    except (BrokenPipeError, ConnectionResetError):
        answer = b""
    return answer[0] if answer else _KILLED


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        pass  # The other side has hung up; whoever reads from it learns why.


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        pass  # It has ended meanwhile; its end is told by itself.


def _at(folder: str, do: Callable[[str], None]) -> None:
    """Does something with the socket from inside its folder: the name of a socket may be no longer than 100 characters."""
    before = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir(folder)
        do(NAME)
    finally:
        os.fchdir(before)
        os.close(before)
