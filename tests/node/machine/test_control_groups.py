"""Both versions of control groups are understood: read from what machines say, and made where that is allowed.

Version 2 with memory limits is played on a folder, since a machine has only one of them; the kernel's part, that files
appear in a new group, is played by making them.
"""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from corral.engine.node.machine import control_groups
from corral.engine.node.machine.control_groups import (
    Hierarchies,
    MountedHierarchy,
    can_be_joined,
    door_of,
    end_as_one,
    hierarchies,
    is_limited,
    killed_for_memory,
    limit_memory,
    make_groups,
    members,
    mounted,
    own_limit,
    peak_memory,
    remove_groups,
    remove_node,
    usable,
)

VERSION_1 = """
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:7 - cgroup cgroup rw,pids
36 31 0:33 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
""".strip()


def test_version_1_has_a_hierarchy_for_each_controller() -> None:
    found = mounted(VERSION_1, "4:memory:/user/me\n8:pids:/\n2:cpu,cpuacct:/docker/abc/inner\n0::/\n")

    assert found == [
        MountedHierarchy("/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/user/me", 1, ("memory",)),
        MountedHierarchy("/sys/fs/cgroup/pids", "/sys/fs/cgroup/pids", 1, ("pids",)),
        MountedHierarchy("/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/inner", 1, ("cpu", "cpuacct")),
    ]


def test_version_2_tells_its_controllers_in_the_own_group(tmp_path: Path) -> None:
    own = tmp_path / "user.slice" / "session"
    own.mkdir(parents=True)
    (own / "cgroup.controllers").write_text("cpu memory pids\n")

    found = mounted(f"40 31 0:37 / {tmp_path} rw - cgroup2 cgroup2 rw\n", "0::/user.slice/session\n")

    assert found == [MountedHierarchy(str(tmp_path), str(own), 2, ("cpu", "memory", "pids"))]


def test_nothing_is_usable_where_nothing_can_be_made(tmp_path: Path) -> None:
    """The folder lacks what the kernel would put into a new group."""
    assert usable([]) == Hierarchies()
    assert usable([MountedHierarchy(str(tmp_path), str(tmp_path), 1, ("memory", "pids"))]) == Hierarchies()
    assert os.listdir(tmp_path) in ([], ["corral"])


def test_limits_and_evidence_are_written_and_read_in_version_2(tmp_path: Path) -> None:
    for file in ("memory.max", "memory.swap.max"):
        (tmp_path / file).write_text("max\n")
    assert not is_limited([str(tmp_path)])

    limit_memory(str(tmp_path), 1000)
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 0\n")
    (tmp_path / "memory.peak").write_text("990\n")

    group = [str(tmp_path)]
    assert (tmp_path / "memory.max").read_text().startswith("1000")
    assert (tmp_path / "memory.swap.max").read_text().startswith("0")
    assert is_limited(group)
    assert (killed_for_memory(group), peak_memory(group)) == (2, 990)


def test_a_group_without_memory_ends_as_one_in_version_2(tmp_path: Path) -> None:
    (tmp_path / "memory.oom.group").write_text("0\n")
    end_as_one(str(tmp_path))
    assert (tmp_path / "memory.oom.group").read_text().startswith("1")


def test_groups_are_made_joined_and_removed_in_a_real_version_2() -> None:
    """Machines with version 1 often mount version 2 beside it, with hardly a controller: whatever needs none is tried there."""
    found = mounted(Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text())
    version_2 = [one for one in found if one.version == 2]
    if not version_2 or not os.access(version_2[0].folder, os.W_OK):
        pytest.skip("this machine has no version 2, or none to write to")
    place = usable([version_2[0]._replace(controllers=("pids",))]).membership
    if not place:
        pytest.skip("nobody may move into groups of version 2 here")
    group = os.path.join(place, f"test-{os.getpid()}")
    os.mkdir(group)
    script = 'echo 0 >"$1"; echo in; exec sleep 60'
    child = subprocess.Popen(["/bin/sh", "-c", script, "sh", door_of(group)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"in\n"
        assert door_of(group).endswith("cgroup.procs")
        assert members([group]) == {child.pid}
        assert not remove_groups([group], patience=0.0)
    finally:
        child.kill()
        child.communicate()
    assert remove_groups([group], patience=5.0)
    with suppress(OSError):  # a node that runs here may use it
        os.rmdir(place)


def test_the_lowest_limit_of_all_groups_around_counts(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, limit in ((tmp_path, "max"), (tmp_path / "outer", "2000"), (inner, "9223372036854771712")):
        (folder / "cgroup.procs").touch()
        (folder / "memory.max").write_text(limit + "\n")

    assert own_limit(str(inner)) == 2000
    assert own_limit(str(tmp_path)) is None


def test_a_single_thread_has_a_door_of_its_own_where_the_kernel_gives_one(tmp_path: Path) -> None:
    """The other one makes the kernel wait for all processors, some ten milliseconds for each start of a container."""
    (tmp_path / "cgroup.procs").touch()
    assert door_of(str(tmp_path)) == str(tmp_path / "cgroup.procs")
    (tmp_path / "tasks").touch()
    assert door_of(str(tmp_path)) == str(tmp_path / "tasks")


def test_only_groups_that_processes_can_join_are_used(tmp_path: Path) -> None:
    assert not can_be_joined(str(tmp_path / "nowhere"))
    if not hierarchies().membership:
        pytest.skip("this machine gives no control groups")
    node = f"test-{os.getpid()}"
    (group,) = make_groups(node, "run", None)
    assert can_be_joined(group)
    remove_node(node)


def test_groups_are_made_and_removed_on_this_machine() -> None:
    places = hierarchies()
    if not places.membership or not places.memory:
        pytest.skip("this machine gives no control groups")
    node = f"test-{os.getpid()}"
    groups = make_groups(node, "run", 64 * 2**20)

    assert len(groups) == len(set(places))
    assert all(os.path.isdir(group) for group in groups)
    assert members(groups) == set()
    assert is_limited(groups)
    assert not is_limited(make_groups(node, "unlimited", None))
    assert remove_groups(groups[:1], 5.0)
    remove_node(node)

    assert members(groups) is None
    assert not any(os.path.exists(os.path.join(place, node)) for place in places)
    assert remove_groups(groups, 5.0), "what is gone counts as removed"


def test_a_node_that_goes_leaves_the_groups_of_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other has just made its group, and its run is about to join it: nothing tells that it is in use."""
    if not hierarchies().membership:
        pytest.skip("this machine gives no control groups")
    place = os.path.join(hierarchies().membership, f"test-{os.getpid()}")
    monkeypatch.setattr(control_groups, "hierarchies", lambda: Hierarchies(place))
    make_groups("going", "run", None)
    (group,) = make_groups("staying", "run", None)
    remove_node("going")

    assert can_be_joined(group)
    assert not os.path.exists(os.path.join(place, "going"))
    remove_node("staying")
    assert not os.path.exists(os.path.join(place, "staying"))
    os.rmdir(place)


def test_the_place_that_nodes_share_outlasts_the_last_of_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A second node may be between two steps of making its first group there; folders are played."""
    place = tmp_path / "corral"
    (place / "first" / "run").mkdir(parents=True)
    (place / "trial-1").mkdir()
    monkeypatch.setattr(control_groups, "hierarchies", lambda: Hierarchies(str(place)))
    remove_node("first")

    assert os.listdir(place) == ["trial-1"]
    (place / "trial-1").rmdir()
    remove_node("first")
    assert place.exists()


def test_groups_that_a_program_has_made_are_counted_and_removed_with_its_own(tmp_path: Path) -> None:
    """Only folders are played here: the kernel lets an empty group be removed although its files are there."""
    group = tmp_path / "pod"
    inner = group / "service" / "worker"
    inner.mkdir(parents=True)
    (group / "cgroup.procs").write_text("11\n")
    (inner / "cgroup.procs").write_text("12\n13\n")
    assert members([str(group)]) == {11, 12, 13}
    (group / "cgroup.procs").unlink()
    (inner / "cgroup.procs").unlink()
    assert remove_groups([str(group)])
    assert not group.exists()
