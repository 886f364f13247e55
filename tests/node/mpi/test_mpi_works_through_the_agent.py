"""Real MPI over two workers with two slots each: launched by the stand-ins, which know hosts by the names of a cluster."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from corral.engine.node.containers.clearing import end_all
from tests.node.containers.launching import ended
from tests.node.mpi.stage import FIRST, PATH, SECOND, MpiStage
from tools import frameworks

ENVIRONMENTS = "CORRAL_MPI_ENVIRONMENTS"
"""A folder with further environments of MPI, each under the name of its implementation."""

SUM = """
import os
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
given, found = array("d", [world.rank + 1.0] * 1000), array("d", [0.0] * 1000)
world.Allreduce(given, found)
line = [os.getpid()]
while line[-1] > 1:
    with open(f"/proc/{line[-1]}/stat") as file:
        line.append(int(file.read().rpartition(")")[2].split()[1]))
print("rank", world.rank, world.size, ",".join(map(str, line)), found[999], flush=True)
"""


class Rank(NamedTuple):
    """What one rank has said: how many there are, in which container it is, and the sum that it got."""

    number: int
    of: int
    place: str
    found: float


def ranks(*places: str) -> list[Rank]:
    """Returns what ranks in these places must say."""
    of = len(places)
    return [Rank(number, of, place, of * (of + 1) / 2) for number, place in enumerate(places)]


IN_BOTH = ranks("worker-0", "worker-0", "worker-1", "worker-1")


def environment_of(implementation: str) -> Path:
    """Returns an environment with mpi4py and one implementation of MPI; skips the test where there is none."""
    given = os.environ.get(ENVIRONMENTS)
    folder = Path(given, implementation) if given else None
    if folder is None and implementation == "openmpi":
        folder = frameworks.make("mpi") if os.environ.get("CI") == "true" else frameworks.folder_of("mpi")
        if not frameworks.is_complete(folder):
            pytest.skip("no environment of MPI: python -m tools.frameworks mpi")
    if folder is None or not folder.is_dir():
        pytest.skip(f"no environment with {implementation}: {ENVIRONMENTS} may name a folder that has one")
    return folder


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[MpiStage]:
    stage = MpiStage(tmp_path)
    yield stage
    stage.close()
    end_all(stage.folder, 0.0)


def launched(stage: MpiStage, operator: str, environment: Path, told: Mapping[str, str], *words: str) -> list[Rank]:
    """Runs a launcher with what the operator tells it, and returns what the ranks have said."""
    env = {**told, "PATH": f"{environment / 'bin'}:{PATH}"}
    run = stage.launch(operator, [*words, "python", "-c", SUM], env)
    ending, said = ended(run), stage.log(run)
    assert ending.exit_code == 0, said
    # Ancestors tell where a rank is. Variables do not: some launchers hand their own on to all ranks.
    places = {str(one.holder.pid): one.owner.partition("/")[0] for one in stage.runs}
    lines = (line.split() for line in said.splitlines() if line.startswith("rank "))
    return sorted(
        Rank(int(number), int(of), next(places[pid] for pid in line.split(",") if pid in places), float(found))
        for _, number, of, line, found in lines
    )


def start_workers(stage: MpiStage, environment: Path, lines: Sequence[str]) -> None:
    for index in range(sum("worker" in line for line in lines)):
        stage.start(index, PATH=f"{environment / 'bin'}:{PATH}")
    stage.hostfile.write_text("".join(f"{line}\n" for line in lines))


def told_by_second_dialect(stage: MpiStage) -> dict[str, str]:
    return {
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_default_hostfile": str(stage.hostfile),
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
        "OMPI_MCA_orte_set_default_slots": "2",
    }


def test_open_mpi_of_the_second_dialect(stage: MpiStage) -> None:
    environment = environment_of("openmpi")
    start_workers(stage, environment, ["pi-worker-0.pi.ml.svc slots=2", "pi-worker-1.pi.ml.svc slots=2"])
    told = told_by_second_dialect(stage)
    assert launched(stage, SECOND, environment, told, "mpirun", "-n", "4") == IN_BOTH


def test_a_launcher_may_work_too(stage: MpiStage) -> None:
    environment = environment_of("openmpi")
    start_workers(stage, environment, ["pi-launcher.pi.ml.svc slots=2", "pi-worker-0.pi.ml.svc slots=2"])
    found = launched(stage, SECOND, environment, told_by_second_dialect(stage), "mpirun", "-n", "4")
    assert found == ranks("launcher-0", "launcher-0", "worker-0", "worker-0")


def test_open_mpi_of_the_first_dialect(stage: MpiStage, tmp_path: Path) -> None:
    environment = environment_of("openmpi")
    start_workers(stage, environment, ["pi-worker-0 slots=2", "pi-worker-1 slots=2"])
    script = tmp_path / "kubexec.sh"
    kubectl = os.path.join(stage.folder.stand_ins, "kubectl")
    script.write_text(f'#!/bin/sh\ntarget=$1\nshift\nexec {kubectl} exec "$target" -- /bin/sh -c "$*"\n')
    script.chmod(0o755)
    told = {"OMPI_MCA_plm_rsh_agent": str(script), "OMPI_MCA_orte_default_hostfile": str(stage.hostfile)}
    assert launched(stage, FIRST, environment, told, "mpirun") == IN_BOTH


def test_more_slots_than_processors(stage: MpiStage) -> None:
    environment = environment_of("openmpi")
    slots = (os.cpu_count() or 1) + 1
    start_workers(stage, environment, [f"pi-worker-{index}.pi.ml.svc slots={slots}" for index in range(2)])
    found = launched(stage, SECOND, environment, told_by_second_dialect(stage), "mpirun")
    assert found == ranks(*["worker-0"] * slots, *["worker-1"] * slots)


def test_mpich(stage: MpiStage) -> None:
    environment = environment_of("mpich")
    start_workers(stage, environment, ["pi-worker-0.pi.ml.svc:2", "pi-worker-1.pi.ml.svc:2"])
    told = {"HYDRA_HOST_FILE": str(stage.hostfile), "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10"}
    assert launched(stage, SECOND, environment, told, "mpiexec", "-n", "4") == IN_BOTH
