"""Taking files out of an archive that a container made: whoever runs there may have written it by hand.

Everything goes into a fresh folder beside the target first, member by member, each through the `data` filter of tarfile; only
a whole archive is put where it belongs. So no name and no link in it can reach anything of ours, and a copy that breaks off
leaves no half of a checkpoint behind.
"""

import os
import posixpath
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Callable

from corral.errors import PermanentError
from corral.ports.archives import OnTally, Tally

MOST_ENTRIES = 2_000_000
LONGEST_NAME = 1024
"""Of a name in the archive. Longer ones could make a path that systems refuse to resolve, and so hide where it leads."""
_BLOCK = 256 << 10


class TarUnpacker:
    """Implements `Unpacker`."""

    def unpack(self, read: Callable[[int], bytes], stem: str, target: str, on_tally: OnTally) -> "StagedFiles":
        """Unpacks into a folder beside the target."""
        staged = StagedFiles(target)
        try:
            _take_all(read, stem, staged, on_tally)
        except BaseException:
            staged.discard()
            raise
        return staged


class StagedFiles:
    """Implements `Unpacked`: a folder with one entry, which becomes the target."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.tally = Tally()
        try:
            self.folder = tempfile.mkdtemp(prefix=".corral-cp-", dir=os.path.dirname(os.path.abspath(target)))
        except OSError as error:
            raise _unwritable(target, error) from error
        self.content = os.path.join(self.folder, "content")
        self.room = shutil.disk_usage(self.folder).free

    def install(self) -> None:
        """Moves what was taken out to its place."""
        try:
            if os.path.lexists(self.content):
                _merge(self.content, self.target)
        except OSError as error:
            raise _unwritable(error.filename2 or error.filename or self.target, error) from error
        finally:
            self.discard()

    def discard(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _take_all(read: Callable[[int], bytes], stem: str, staged: StagedFiles, on_tally: OnTally) -> None:
    entries = 0
    try:
        source = _Source(read, lambda moved: on_tally(staged.tally._replace(size=moved)))
        with tarfile.open(fileobj=source, mode="r|", bufsize=_BLOCK) as archive:  # type: ignore[call-overload]
            while (member := archive.next()) is not None:
                entries += 1
                _refuse_excess(member, staged, entries)
                staged.tally = _taken(archive, member, stem, staged)
                archive.members.clear()
    except tarfile.ReadError as error:
        raise PermanentError("broken-archive", f"what came from the container breaks off: {error}") from error
    except tarfile.TarError as error:
        raise _odd(str(error)) from error
    except OSError as error:
        raise _unwritable(error.filename or staged.target, error) from error


class _Source:
    """What tarfile takes for a file that is read from; tells how far it is, also within a large file."""

    def __init__(self, read: Callable[[int], bytes], on_moved: Callable[[int], None]) -> None:
        self._read = read
        self._on_moved = on_moved
        self._moved = 0

    def read(self, size: int) -> bytes:
        """Returns some bytes."""
        data = self._read(size)
        self._moved += len(data)
        self._on_moved(self._moved)
        return data


def _refuse_excess(member: tarfile.TarInfo, staged: StagedFiles, entries: int) -> None:
    if member.issparse():
        raise _odd(f"{member.name!r} has holes, which were not asked for")
    if entries > MOST_ENTRIES:
        raise _odd(f"it has more than {MOST_ENTRIES} entries")
    if staged.tally.size + member.size > staged.room:
        needed = staged.tally.size + member.size
        message = f"the copy needs at least {needed} bytes, and the disk of {staged.target} has {staged.room}"
        raise PermanentError("disk-full", message)


def _taken(archive: tarfile.TarFile, member: tarfile.TarInfo, stem: str, staged: StagedFiles) -> Tally:
    """Takes out one member and returns the new tally."""
    tally, shown = staged.tally, member.name
    member.name = _placed(member.name, stem)
    if member.islnk():
        member.linkname = _placed(member.linkname, stem)
    fault = _fault(member, staged)
    if fault:
        return tally._replace(left_out=(*tally.left_out, f"{shown}: {fault}"))
    try:
        safe = tarfile.data_filter(member, staged.folder)
        archive.extract(safe, staged.folder, filter="fully_trusted")
    except tarfile.OutsideDestinationError as error:
        raise _odd(f"{shown!r} leads out of it") from error
    except (tarfile.FilterError, KeyError) as error:
        return tally._replace(left_out=(*tally.left_out, f"{shown}: {error}"))
    return tally._replace(files=tally.files + (not member.isdir()), size=tally.size + member.size)


def _placed(name: str, stem: str) -> str:
    """Returns where an entry of the archive goes, below the folder of its own."""
    plain = posixpath.normpath(name)
    if stem == ".":
        inside = plain if plain != ".." and not plain.startswith(("/", "../")) else None
    else:
        inside = posixpath.relpath(plain, stem) if plain == stem or plain.startswith(f"{stem}/") else None
    if inside is None:
        raise _odd(f"it holds {name!r}, which was not asked for")
    return posixpath.normpath(f"content/{inside}")


def _fault(member: tarfile.TarInfo, staged: StagedFiles) -> str:
    """Returns why a member is left out, "" when it is not; the filter would let links lead beside the copy."""
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        return "neither a file, a folder nor a link"
    if max(len(member.name), len(member.linkname)) > LONGEST_NAME:
        return f"its name has more than {LONGEST_NAME} letters"
    if not member.issym():
        return ""
    leads_to = os.path.realpath(os.path.join(staged.folder, os.path.dirname(member.name), member.linkname))
    content = os.path.realpath(staged.content)
    is_inside = leads_to == content or leads_to.startswith(content + os.sep)
    return "" if is_inside and not os.path.isabs(member.linkname) else f"a link out of the copy, to {member.linkname}"


def _merge(source: str, target: str) -> None:
    """Moves a file or a folder over what is there; two folders become one, all else is replaced."""
    if not (_is_folder(source) and _is_folder(target)):
        if _is_folder(source) and os.path.lexists(target):
            raise FileExistsError(17, "it is there and is no folder", target)
        os.replace(source, target)
        return
    for name in sorted(os.listdir(source)):
        _merge(os.path.join(source, name), os.path.join(target, name))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _odd(why: str) -> PermanentError:
    return PermanentError("bad-archive", f"what came from the container is not taken: {why}")


def _unwritable(path: str, error: OSError) -> PermanentError:
    return PermanentError("unwritable-file", f"{path} cannot be written: {error.strerror or error}")
