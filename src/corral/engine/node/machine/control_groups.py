"""Control groups: which processes belong together, how much memory they may use, and whether they were killed for it.

Each run of a container gets a group of its own in each hierarchy that is needed: one that only tells who belongs to it
(`pids`, which nothing can leave by forking), and one for memory where there is a limit. Both versions of the interface are
spoken. Where neither can be written to, there are no groups, and memory is watched from outside instead.
"""

import functools
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from corral.engine.small_files import read_text
from corral.engine.supervisor.host import IS_LINUX

_UNLIMITED = 1 << 60
"""Above this a limit is the kernel's way to say that there is none."""
_LINKS_ALONE = 2
"""How many links a folder has in which there is no other one."""


class Hierarchies(NamedTuple):
    """Where groups can be made: one folder for belonging together, one for memory (the same in version 2)."""

    membership: str = ""
    memory: str = ""


class MountedHierarchy(NamedTuple):
    """One hierarchy as it is mounted, and the group of this process in it."""

    folder: str
    own: str
    version: int
    controllers: tuple[str, ...]


@functools.cache
def hierarchies() -> Hierarchies:
    """Returns where groups can be made on this machine; tried once."""
    return (
        usable(mounted(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup")))
        if IS_LINUX
        else Hierarchies()
    )


def mounted(mounts: str, memberships: str) -> list[MountedHierarchy]:
    """Reads /proc/self/mountinfo and /proc/self/cgroup."""
    paths = {}
    for line in memberships.splitlines():
        _, names, path = line.split(":", 2)
        paths.update(dict.fromkeys(names.split(","), path))
    found = []
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        root, folder = left.split()[3:5]
        kind, _, options = right.split(None, 2)
        if kind == "cgroup2":
            own = _own_folder(folder, root, paths.get("", "/"))
            found.append(MountedHierarchy(folder, own, 2, tuple(read_text(f"{own}/cgroup.controllers").split())))
        elif kind == "cgroup":
            controllers = tuple(word for word in options.split()[-1].split(",") if word not in ("rw", "ro"))
            path = next((paths[name] for name in controllers if name in paths), "/")
            found.append(MountedHierarchy(folder, _own_folder(folder, root, path), 1, controllers))
    return found


def usable(found: Iterable[MountedHierarchy]) -> Hierarchies:
    """Chooses, of the mounted hierarchies, those in which groups can really be made."""
    known = Hierarchies()
    for hierarchy in sorted(found, key=lambda each: -each.version):
        if "memory" in hierarchy.controllers and not known.memory:
            known = known._replace(memory=_prepared(hierarchy))
        if "pids" in hierarchy.controllers and not known.membership:
            known = known._replace(membership=_prepared(hierarchy))
    return known


def make_groups(node: str, name: str, memory_bytes: int | None) -> tuple[str, ...]:
    """Makes the groups of one run and returns them as folders, the one that tells membership first; empty if impossible.

    `node` keeps apart the groups of several nodes on one machine.
    """
    places = hierarchies()
    wanted = [places.membership] if places.membership else []
    if memory_bytes is not None and places.memory and places.memory not in wanted:
        wanted.append(places.memory)
    made: list[str] = []
    try:
        for place in wanted:
            _make_inner(place)
            _make_inner(os.path.join(place, node))
            made.append(os.path.join(place, node, name))
            os.makedirs(made[-1], exist_ok=True)
            end_as_one(made[-1])
        if memory_bytes is not None and places.memory:
            limit_memory(os.path.join(places.memory, node, name), memory_bytes)
    except OSError:
        # Too many groups, or a hierarchy that was taken away: the run is watched from outside then.
        remove_groups(made, patience=0.0)
        return ()
    return tuple(made)


def limit_memory(group: str, memory_bytes: int) -> None:
    """Sets how much memory a group may use; what does not fit is not swapped out, as on a node of a cluster."""
    if os.path.exists(f"{group}/memory.max"):
        _write(f"{group}/memory.max", str(memory_bytes))
        _write_if_there(f"{group}/memory.swap.max", "0")
    else:
        _write(f"{group}/memory.limit_in_bytes", str(memory_bytes))
        _write_if_there(f"{group}/memory.memsw.limit_in_bytes", str(memory_bytes))


def end_as_one(group: str) -> None:
    """Has the kernel, when it kills for memory, kill all of a group, as a kubelet does: no half of a container stays behind.

    Version 1 cannot; there the kernel chooses one process.
    """
    _write_if_there(f"{group}/memory.oom.group", "1")


def door_of(group: str) -> str:
    """Returns the file of a group to which a process of one thread writes 0 to join it.

    Version 1 has one for single threads. For whole processes the kernel first waits until all processors have passed a quiet
    moment, some ten milliseconds, in which nobody can fork; for a thread that moves itself it need not.
    """
    threads = f"{group}/tasks"
    return threads if os.path.exists(threads) else f"{group}/cgroup.procs"


def join_groups(groups: Iterable[str]) -> None:
    """Puts the calling process, which must have one thread only, and all that it starts from now on, into groups."""
    for group in groups:
        _write(door_of(group), "0")


def can_be_joined(group: str) -> bool:
    """Tries it with a process that does nothing else: in version 2 many may make groups who may not move into them."""
    words = ["sh", "-c", 'echo 0 >"$1"', "sh", door_of(group)]
    nowhere = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    child = os.posix_spawn("/bin/sh", words, {}, file_actions=[nowhere])
    return os.waitpid(child, 0)[1] == 0


def is_limited(groups: Iterable[str]) -> bool:
    """Tells whether one of the groups limits memory."""
    return any(_limit(group) is not None for group in groups)


def members(groups: Iterable[str]) -> set[int] | None:
    """Returns the pids of all processes in the groups and below; None when there is no group that could tell."""
    pids: set[int] = set()
    told = False
    for group in groups:
        for folder in (group, *_below(group)):
            try:
                with open(f"{folder}/cgroup.procs", encoding="ascii") as file:
                    pids.update(int(line) for line in file.read().split())
            except OSError:
                continue
            told = True
    return pids if told else None


def _below(group: str) -> list[str]:
    """Returns the groups that programs of a group have made in it, the innermost first."""
    try:
        if os.stat(group).st_nlink == _LINKS_ALONE:
            return []
    except OSError:
        return []
    inner = [os.path.join(path, name) for path, names, _ in os.walk(group) for name in names]
    return sorted(inner, key=lambda path: path.count("/"), reverse=True)


def remove_groups(groups: Iterable[str], patience: float = 0.1) -> bool:
    """Removes groups of runs with all groups in them; the kernel refuses for a moment after the last process has ended.

    False when some remain. The wait is short, because it may hold up an event loop.
    """
    deadline = time.monotonic() + patience
    left = list(groups)
    while left:
        left = [group for group in left if not _is_removed(group)]
        if not left or time.monotonic() >= deadline:
            break
        time.sleep(0.002)
    return not left


def remove_node(node: str) -> None:
    """Removes all empty groups of one node, also those that a killed node made and never used.

    The place that all nodes of the machine share stays: whoever removed it would take it from a node that just makes a
    group there, whose run would then go without.
    """
    for place in {*hierarchies()} - {""}:
        folder = os.path.join(place, node)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        groups = [os.path.join(folder, name) for name in names if os.path.isdir(os.path.join(folder, name))]
        if remove_groups(groups, patience=0.0):
            # A run that was begun meanwhile has a group in it, and keeps it: only groups of runs go with all that is below.
            with suppress(OSError):
                os.rmdir(folder)


def killed_for_memory(groups: Iterable[str]) -> int:
    """Returns how many processes of the groups the kernel killed because the limit was reached."""
    count = 0
    for group in groups:
        for file in ("memory.events", "memory.oom_control"):
            for line in read_text(f"{group}/{file}").splitlines():
                name, _, value = line.partition(" ")
                count += int(value) if name == "oom_kill" else 0
    return count


def peak_memory(groups: Iterable[str]) -> int:
    """Returns the most memory that the groups ever used, in bytes; 0 when that is not known."""
    return _largest(groups, ("memory.peak", "memory.max_usage_in_bytes"))


def own_limit(memory_folder: str) -> int | None:
    """Returns the lowest memory limit of a group and of all groups around it; None when there is none."""
    lowest = None
    while os.path.exists(os.path.join(memory_folder, "cgroup.procs")):
        limit = _limit(memory_folder)
        lowest = limit if lowest is None or (limit is not None and limit < lowest) else lowest
        memory_folder = os.path.dirname(memory_folder)
    return lowest


def _own_folder(folder: str, root: str, path: str) -> str:
    """Returns the folder of this process's group; in a container the mount may begin in the middle of the tree."""
    inside = os.path.relpath(path, root) if path == root or path.startswith(root.rstrip("/") + "/") else "."
    return os.path.normpath(os.path.join(folder, inside))


def _prepared(hierarchy: MountedHierarchy) -> str:
    """Returns a folder of ours in a hierarchy in which groups can be made, empty when there cannot be one."""
    for parent in _candidates(hierarchy):
        place = os.path.join(parent, "corral")
        try:
            _make_inner(place, hierarchy.version)
            trial = os.path.join(place, f"trial-{os.getpid()}")
            os.mkdir(trial)
            has_files = os.path.exists(os.path.join(trial, "cgroup.procs"))
            has_memory = "memory" not in hierarchy.controllers or _has_memory(trial)
            is_usable = has_files and has_memory and can_be_joined(trial)
            remove_groups([trial])
            if is_usable:
                return place
        except OSError:
            continue
    return ""


def _candidates(hierarchy: MountedHierarchy) -> list[str]:
    """Returns the groups below which ours may go, the best first.

    In version 1 that is the top, unless this process is itself limited. In version 2 a group with processes in it can
    have no limited groups below, so it is the nearest one above us; the kernel says whether we may.
    """
    if hierarchy.version == 1:
        limited = "memory" in hierarchy.controllers and own_limit(hierarchy.own) is not None
        return [hierarchy.own if limited else hierarchy.folder]
    found, group = [], hierarchy.own
    while group != hierarchy.folder and group.startswith(hierarchy.folder):
        group = os.path.dirname(group)
        found.append(group)
    return found or [hierarchy.folder]


def _make_inner(place: str, version: int = 0) -> None:
    """Makes a group that holds groups; in version 2 each level must pass its controllers on."""
    os.makedirs(place, exist_ok=True)
    if version != 1 and os.path.exists(f"{place}/cgroup.subtree_control"):
        wanted = {"memory", "pids"} & set(read_text(f"{place}/cgroup.controllers").split())
        missing = wanted - set(read_text(f"{place}/cgroup.subtree_control").split())
        if missing:
            _write(f"{place}/cgroup.subtree_control", " ".join(f"+{name}" for name in sorted(missing)))


def _has_memory(group: str) -> bool:
    return any(os.path.exists(f"{group}/{file}") for file in ("memory.max", "memory.limit_in_bytes"))


def _limit(group: str) -> int | None:
    for file in ("memory.max", "memory.limit_in_bytes"):
        text = read_text(f"{group}/{file}").strip()
        if text.isdigit() and int(text) < _UNLIMITED:
            return int(text)
    return None


def _largest(groups: Iterable[str], files: tuple[str, ...]) -> int:
    texts = (read_text(f"{group}/{file}").strip() for group in groups for file in files)
    return max((int(text) for text in texts if text.isdigit()), default=0)


def _is_removed(group: str) -> bool:
    try:
        for one in (*_below(group), group):
            os.rmdir(one)
    except FileNotFoundError:
        return not os.path.exists(group)
    except OSError:
        return False
    return True


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _write_if_there(path: str, text: str) -> None:
    if os.path.exists(path):
        _write(path, text)
