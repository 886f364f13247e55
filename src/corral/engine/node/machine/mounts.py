"""Puts files and folders of this machine at the paths where a container expects them, seen by that container only.

A process that is about to become a program enters a mount namespace of its own and binds there. A path that does not exist
must not litter the machine. Below the user's own places (home, temporary folders) and inside volumes, an empty folder is
made and taken away again: what the program writes beside it stays. Anywhere else (`/etc`, `/opt`, `/`) a small file
system in memory is laid over the deepest folder that exists, with everything that was in it bound back.
"""

import errno
import functools
import os
import stat
import tempfile
from typing import NamedTuple, Protocol

from corral.engine.node.machine import mount_points
from corral.engine.node.machine import system_calls as system
from corral.engine.supervisor.host import IS_LINUX

_BIND = system.MS_BIND | system.MS_REC
_KEPT_FLAGS = 2 | 4 | 8 | 1024 | 2048
"""No set-uid, no devices, no execution, no access times: the same numbers in statvfs and in mount."""


class Binding(Protocol):
    """A file or folder and the path at which it shall be seen."""

    @property
    def source(self) -> str:
        """The file or folder on this machine."""

    @property
    def path(self) -> str:
        """Where the container sees it."""

    @property
    def read_only(self) -> bool:
        """Whether the container may not write to it."""


class MountRefusedError(Exception):
    """Something cannot be mounted; the text is a sentence for people."""


class Plan(NamedTuple):
    """What must be known before the fork to mount after it."""

    bindings: tuple[Binding, ...]
    own_places: tuple[str, ...]
    """Folders below which empty folders may really be made."""
    staging: str
    """A folder at which a new root may be put together."""
    made: str
    """A file that gets the path of everything really made, one per line."""
    needs_user_namespace: bool


def why_no_mounts() -> str:
    """Says why this process cannot give a container mounts of its own; empty when it can."""
    if not IS_LINUX:
        return "mounts of their own for containers exist on Linux only"
    return trial(in_user_namespace=True) if needs_user_namespace() else ""


def needs_user_namespace() -> bool:
    """Tells whether mounts are possible only inside a user namespace, as for users without privileges."""
    return IS_LINUX and trial(in_user_namespace=False) != ""


def own_places() -> tuple[str, ...]:
    """Returns the folders that belong to the user: home and temporary folders."""
    found = (os.path.expanduser("~"), tempfile.gettempdir(), "/tmp")  # noqa: S108 - compared with, not written to
    return tuple(dict.fromkeys(os.path.realpath(place) for place in found if os.path.realpath(place) != "/"))


def enter(plan: Plan) -> None:
    """Gives the calling process, which must have one thread only, its own view of the file system."""
    made = os.open(plan.made, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    _enter_namespace(plan.needs_user_namespace)
    view = _View(plan, made)
    # All sources are opened first: what is mounted later must not change what they mean.
    ordered = sorted(plan.bindings, key=lambda each: os.path.normpath(each.path).count("/"))
    sources = [_opened(binding) for binding in ordered]
    for binding, source in zip(ordered, sources, strict=True):
        view.bind(binding, source)
    view.finish()
    for binding in plan.bindings:
        if binding.read_only:
            _make_read_only(binding.path)


class _View:
    """The file system as the container will see it, while it is put together."""

    def __init__(self, plan: Plan, made: int) -> None:
        self._plan = plan
        self._made = made
        self._replaced: set[str] = set()
        self._bound: dict[str, str] = {}
        """Where each path that was bound leads to on this machine."""
        self._former_root: int | None = None

    def bind(self, binding: Binding, source: int) -> None:
        """Binds one file or folder, making its mount point when there is none."""
        is_folder = stat.S_ISDIR(os.fstat(source).st_mode)
        path = os.path.realpath(binding.path)
        try:
            while True:
                self._make_point(path, is_folder)
                if self._hold(path):
                    break
            if os.path.isdir(path) != is_folder:
                there, given = ("file", "folder") if is_folder else ("folder", "file")
                message = f"there is a {there} at {binding.path!r}, and {binding.source!r} is a {given}"
                raise MountRefusedError(message)
            system.mount(f"/proc/self/fd/{source}", path, "", _BIND)
        except OSError as error:
            reason = error.strerror or str(error)
            raise MountRefusedError(f"cannot mount {binding.source!r} at {binding.path!r}: {reason}") from error
        self._bound[path] = os.readlink(f"/proc/self/fd/{source}")

    def finish(self) -> None:
        """Lets go of the root that was replaced, which nobody needs any more."""
        if self._former_root is not None:
            os.fchdir(self._former_root)
            system.unmount(".")
            os.chdir("/")

    def _make_point(self, path: str, is_folder: bool) -> None:
        if os.path.lexists(path):
            return
        parent = os.path.dirname(path)
        while not os.path.isdir(parent):
            parent = os.path.dirname(parent)
        is_real = self._is_real(parent)
        if not is_real and parent not in self._replaced:
            self._replace(parent)
        missing = os.path.relpath(path, parent).split("/")
        for index, name in enumerate(missing):
            parent = os.path.join(parent, name)
            if is_real:
                # Noted first: what is made and not noted would stay for ever.
                self._note(parent)
            mount_points.make(parent, is_folder or index < len(missing) - 1)
            if is_real:
                mount_points.mark(parent)

    def _hold(self, path: str) -> bool:
        if not self._is_real(os.path.dirname(path)):
            return True
        if not mount_points.hold(path):
            return False
        if mount_points.is_marked(path):
            self._note(path)
        return True

    def _note(self, path: str) -> None:
        """Notes what was made, at the path by which this machine knows it."""
        volume = max((place for place in self._bound if _is_below(path, place)), key=len, default="")
        known = os.path.normpath(os.path.join(self._bound[volume], os.path.relpath(path, volume))) if volume else path
        os.write(self._made, os.fsencode(known) + b"\n")

    def _is_real(self, parent: str) -> bool:
        """Tells whether what is made in a folder appears on this machine, and may."""
        covers = [place for place in (*self._replaced, *self._bound) if _is_below(parent, place)]
        # The user's own places are never replaced, only bound back as they are.
        return max(covers, key=len, default="") in self._bound or self._is_own(parent)

    def _is_own(self, parent: str) -> bool:
        return any(_is_below(parent, place) for place in self._plan.own_places)

    def _replace(self, folder: str) -> None:
        """Lays a file system in memory over a folder and binds back what was in it."""
        former = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        place = self._plan.staging if folder == "/" else folder
        system.mount("tmpfs", place, "tmpfs", 0, f"mode={stat.S_IMODE(os.fstat(former).st_mode):o}")
        if folder == "/":
            # Otherwise the new root would find itself again in what is bound into it.
            system.mount("", place, "", system.MS_UNBINDABLE)
        for name in os.listdir(former):
            _bind_back(former, name, place)
        if folder == "/":
            system.mount("", place, "", system.MS_PRIVATE)
            self._former_root = former if _move_to(place) else None
        else:
            os.close(former)
        self._replaced.add(folder)


def _bind_back(former: int, name: str, place: str) -> None:
    target = os.path.join(place, name)
    try:
        mode = os.stat(name, dir_fd=former, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(name, dir_fd=former), target)
            return
    except FileNotFoundError:
        return
    mount_points.make(target, stat.S_ISDIR(mode))
    system.mount(f"/proc/self/fd/{former}/{name}", target, "", _BIND)


def _move_to(place: str) -> bool:
    """Makes a folder the root; True when the former root lies beneath it and is still to be let go."""
    os.chdir(place)
    try:
        system.pivot_root(".", ".")
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS):
            raise
        # A root that is no mount of its own (a chroot around us) cannot be swapped, only left.
        os.chroot(".")
        return False
    finally:
        os.chdir("/")
    return True


def _opened(binding: Binding) -> int:
    try:
        return os.open(binding.source, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        message = f"cannot mount {binding.source!r} at {binding.path!r}: {error.strerror}"
        raise MountRefusedError(message) from error


def _make_read_only(path: str) -> None:
    # A remount must repeat what was inherited; in a user namespace dropping it is refused.
    kept = os.statvfs(path).f_flag & _KEPT_FLAGS
    try:
        system.mount("", path, "", system.MS_REMOUNT | system.MS_BIND | system.MS_RDONLY | kept)
    except OSError as error:
        raise MountRefusedError(f"cannot make the mount at {path!r} read-only: {error.strerror}") from error


def _enter_namespace(needs_user_namespace: bool) -> None:
    user, group = os.getuid(), os.getgid()
    try:
        system.unshare(system.CLONE_NEWNS | (system.CLONE_NEWUSER if needs_user_namespace else 0))
        if needs_user_namespace:
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{user} {user} 1")
            _write("/proc/self/gid_map", f"{group} {group} 1")
        system.mount("", "/", "", system.MS_REC | system.MS_PRIVATE)
    except OSError as error:
        raise MountRefusedError(f"this machine gives no mount namespace: {error.strerror}") from error


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


@functools.cache
def trial(in_user_namespace: bool) -> str:
    """Mounts something in a child, once, and says why that failed; empty when it worked."""
    listening, telling = os.pipe()
    pid = os.fork()
    if pid == 0:
        told = b"the attempt ended early"
        try:
            _enter_namespace(in_user_namespace)
            system.mount("tmpfs", "/", "tmpfs", 0, "size=4k")
            told = b""
        except MountRefusedError as refusal:
            told = str(refusal).encode()
        except OSError as error:
            told = f"this machine refuses mounts: {error.strerror}".encode()
        finally:
            os.write(telling, told)
            os._exit(0)
    os.close(telling)
    with os.fdopen(listening, "rb") as answer:
        told = answer.read()
    os.waitpid(pid, 0)
    return told.decode()


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
