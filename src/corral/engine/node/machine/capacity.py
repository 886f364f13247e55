"""What this machine has and what it is, as a Node reports it.

What counts is what processes started from here can really get: processors that this process may not run on, and memory
above the limit of its own control group, belong to somebody else.
"""

import glob
import math
import os
import platform
from typing import NamedTuple

from corral.engine.node.machine.control_groups import MountedHierarchy, mounted, own_limit
from corral.engine.small_files import read_text
from corral.engine.supervisor.host import IS_LINUX

ARCHITECTURES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}
"""What Kubernetes calls processors, by what systems call them."""
GPU_RECORDS = "/proc/driver/nvidia/gpus/*/information"


class Gpu(NamedTuple):
    """One GPU, as its driver names it."""

    number: int
    model: str
    uuid: str


class Capacity(NamedTuple):
    """What can be given out."""

    cpus: int
    memory_bytes: int
    storage_bytes: int
    gpus: tuple[Gpu, ...]


class System(NamedTuple):
    """What the machine is, in the words of a Node's `nodeInfo`."""

    operating_system: str
    image: str
    kernel: str
    architecture: str
    boot_id: str
    machine_id: str
    system_uuid: str


def measured_capacity(folder: str) -> Capacity:
    """Measures what can be given out; storage is that of the file system that a folder lies on."""
    storage = os.statvfs(folder)
    return Capacity(
        cpus=processor_count(),
        memory_bytes=memory_bytes(),
        storage_bytes=storage.f_blocks * storage.f_frsize,
        gpus=gpus(),
    )


def processors() -> tuple[int, ...]:
    """Returns the numbers of the processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def processor_count() -> int:
    """Returns how many processors' worth of time this process may use, rounded up."""
    quota = min((_processor_quota(hierarchy) for hierarchy in _hierarchies("cpu")), default=math.inf)
    return max(1, min(len(processors()), math.ceil(quota) if quota < math.inf else len(processors())))


def memory_bytes() -> int:
    """Returns the memory of the machine, or the limit of this process where that is lower."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = (own_limit(hierarchy.own) for hierarchy in _hierarchies("memory"))
    return min((limit for limit in limits if limit is not None and limit < whole), default=whole)


def gpus(records: str = GPU_RECORDS) -> tuple[Gpu, ...]:
    """Returns the GPUs that the driver has, in its own order; none without a driver."""
    found: list[Gpu] = []
    for path in sorted(glob.glob(records)):
        fields = {}
        for line in read_text(path).splitlines():
            name, _, value = line.partition(":")
            fields[name.strip()] = value.strip()
        minor = fields.get("Device Minor", "")
        number = int(minor) if minor.isdigit() else len(found)
        found.append(Gpu(number, fields.get("Model", "unknown"), fields.get("GPU UUID", "")))
    return tuple(sorted(found))


def system() -> System:
    """Returns what this machine is."""
    machine_id = read_text("/etc/machine-id").strip()
    return System(
        operating_system=platform.system().lower(),
        image=_image(),
        kernel=platform.release(),
        architecture=ARCHITECTURES.get(platform.machine(), platform.machine()),
        boot_id=read_text("/proc/sys/kernel/random/boot_id").strip(),
        machine_id=machine_id,
        system_uuid=_private_text("/sys/class/dmi/id/product_uuid") or machine_id,
    )


def _image() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return platform.platform(terse=True)


def _private_text(path: str) -> str:
    try:
        return read_text(path).strip()
    except PermissionError:
        return ""


def _hierarchies(controller: str) -> list[MountedHierarchy]:
    if not IS_LINUX:
        return []
    found = mounted(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup"))
    return [hierarchy for hierarchy in found if controller in hierarchy.controllers]


def _processor_quota(hierarchy: MountedHierarchy) -> float:
    """Returns how many processors' worth of time the group of this process and those around it may use."""
    lowest, group = math.inf, hierarchy.own
    while os.path.exists(os.path.join(group, "cgroup.procs")):
        quota, _, period = read_text(f"{group}/cpu.max").strip().partition(" ")
        if not quota:
            quota, period = read_text(f"{group}/cpu.cfs_quota_us").strip(), read_text(f"{group}/cpu.cfs_period_us")
        if quota.isdigit() and period.strip().isdigit():
            lowest = min(lowest, int(quota) / int(period))
        group = os.path.dirname(group)
    return lowest
