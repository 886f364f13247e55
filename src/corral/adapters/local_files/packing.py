"""Making archives: what is read goes out at once, nothing is kept."""

import os
import stat
import tarfile
from collections.abc import Callable, Iterator

from corral.errors import PermanentError
from corral.ports.archives import OnTally, Tally

_FORM = {"format": tarfile.GNU_FORMAT, "bufsize": 256 << 10}


class TarPacker:
    """Implements `Packer`."""

    def pack(self, source: str, name: str, write: Callable[[bytes], None], on_tally: OnTally) -> Tally:
        """Writes an archive of GNU's kind, which every tar reads."""
        sink = _Sink(write, on_tally)
        try:
            with tarfile.open(fileobj=sink, mode="w|", **_FORM) as archive:  # type: ignore[call-overload]
                for path, inner in _walk(os.path.realpath(source), name):
                    sink.tally = self._add(archive, path, inner, sink.tally)
        except OSError as error:
            what = f"{error.filename or source} cannot be read: {error.strerror or error}"
            raise PermanentError("unreadable-file", what) from error
        return sink.tally

    def _add(self, archive: tarfile.TarFile, path: str, inner: str, tally: Tally) -> Tally:
        member = archive.gettarinfo(path, inner)
        if member is None or not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
            return tally._replace(left_out=(*tally.left_out, f"{path}: neither a file, a folder nor a link"))
        # Whose files they are here means nothing there; in most containers there is only one user.
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        if member.isreg():
            with open(path, "rb") as file:
                archive.addfile(member, file)
        else:
            archive.addfile(member)
        archive.members.clear()  # type: ignore[attr-defined]  # nobody asks for them again, and there may be millions
        return tally._replace(files=tally.files + (not member.isdir()), size=tally.size + member.size)


class _Sink:
    """What tarfile takes for a file that is written to; tells how far it is, also within a large file."""

    def __init__(self, write: Callable[[bytes], None], on_tally: OnTally) -> None:
        self.tally = Tally()
        self._write = write
        self._on_tally = on_tally
        self._moved = 0

    def write(self, data: bytes) -> int:
        """Passes data on."""
        self._write(bytes(data))
        self._moved += len(data)
        self._on_tally(self.tally._replace(size=self._moved))
        return len(data)


def _walk(path: str, inner: str) -> Iterator[tuple[str, str]]:
    """Yields everything below a path with its name in the archive, folders before what is in them."""
    waiting = [(path, inner)]
    while waiting:
        path, inner = waiting.pop()
        yield path, inner
        if stat.S_ISDIR(os.lstat(path).st_mode):
            names = sorted(os.listdir(path), reverse=True)
            waiting += [(os.path.join(path, name), f"{inner}/{name}") for name in names]
