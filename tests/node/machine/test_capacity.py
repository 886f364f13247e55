"""A node reports what processes started from it can really get."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corral.engine.node.machine.capacity import Gpu, gpus, measured_capacity, processors, system
from corral.engine.node.machine.control_groups import hierarchies, remove_node

RECORD = "Model: \t\t Tesla V100-SXM2-16GB\nIRQ:   \t\t 33\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\n"


def test_the_machine_has_processors_memory_and_storage(tmp_path: Path) -> None:
    found = measured_capacity(str(tmp_path))

    assert 1 <= found.cpus <= (os.cpu_count() or 1)
    assert found.memory_bytes > 2**26
    assert found.storage_bytes == shutil.disk_usage(tmp_path).total


def test_processors_that_this_process_may_not_use_do_not_count() -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system cannot bind processes to processors")
    script = (
        f"import os; os.sched_setaffinity(0, [{processors()[0]}]); "
        "from corral.engine.node.machine.capacity import processor_count; print(processor_count())"
    )

    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "1\n"


def test_memory_above_the_limit_of_this_process_does_not_count() -> None:
    place = hierarchies().memory
    if not place:
        pytest.skip("this machine gives no control groups for memory")
    script = (
        "import os; from corral.engine.node.machine import control_groups as groups; "
        "made = groups.make_groups('test-capacity', str(os.getpid()), 300 << 20); "
        "groups.join_groups(made); "
        "from corral.engine.node.machine.capacity import memory_bytes; print(memory_bytes(), *made)"
    )

    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert answer.stderr == ""
    assert answer.stdout.split()[0] == str(300 << 20)
    remove_node("test-capacity")


def test_gpus_are_read_from_the_records_of_their_driver(tmp_path: Path) -> None:
    for bus, minor in (("0000:3b:00.0", 1), ("0000:5e:00.0", 0)):
        (tmp_path / bus).mkdir()
        (tmp_path / bus / "information").write_text(RECORD.format(uuid=f"GPU-{minor}", minor=minor))

    found = gpus(str(tmp_path / "*" / "information"))

    assert found == (Gpu(0, "Tesla V100-SXM2-16GB", "GPU-0"), Gpu(1, "Tesla V100-SXM2-16GB", "GPU-1"))
    assert gpus(str(tmp_path / "none" / "*")) == ()


def test_the_system_is_told_in_the_words_of_kubernetes() -> None:
    found = system()

    assert found.operating_system == sys.platform.rstrip("0123456789")
    assert found.architecture in ("amd64", "arm64", "riscv64", "ppc64le", "s390x")
    assert found.kernel == os.uname().release
    assert found.image
