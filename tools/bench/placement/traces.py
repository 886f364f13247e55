"""Where the traces are, and what was published about them. They are never part of this repository."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from corral.placement.offers import NodeOffer
from corral.placement.potentials import Policy, policy
from corral.placement.potentials.observed import LearningPolicy
from corral.placement.potentials.statistics import statistics_of
from corral.placement.replay.playing import Chooser, capacity_of
from corral.placement.replay.traces import TracePod, read_nodes, read_pods

ROOT = Path(__file__).resolve().parents[3]
MIXES = ("observed", "known")
"""Whether a policy learns the mix from the pods that come, as shipped, or is told that of the whole trace beforehand."""
WORKLOADS = ("default", "cpu100", "gpushare40", "gpuspec20", "multigpu30")


def folder() -> Path:
    """Returns the folder of the openb traces: `$CORRAL_TRACES/openb`, else beside the checkout."""
    given = os.environ.get("CORRAL_TRACES")
    return (Path(given) if given else ROOT.parent / "shared" / "data") / "openb"


class Measured(NamedTuple):
    """What is measured: a policy by its name, and where it has the mix from."""

    policy: str
    mix: str = MIXES[0]


class Trace(NamedTuple):
    """Nodes and pods of one workload."""

    name: str
    nodes: tuple[NodeOffer, ...]
    pods: tuple[TracePod, ...]

    @property
    def capacity(self) -> int:
        """Returns the thousandths of GPUs that there are."""
        return capacity_of(self.nodes)

    def policy(self, name: str) -> Policy:
        """Returns a policy that knows the mix of all these pods."""
        return policy(name, statistics_of(pod.ask for pod in self.pods))

    def chooser(self, measured: Measured) -> Chooser:
        """Returns such a policy, or one that knows nothing and learns the mix as the loop does."""
        return LearningPolicy(policy(measured.policy)) if measured.mix == "observed" else self.policy(measured.policy)


def trace(workload: str) -> Trace:
    """Reads one workload."""
    nodes, pods = folder() / "openb_node_list_gpu_node.csv", folder() / f"openb_pod_list_{workload}.csv"
    return Trace(workload, read_nodes(nodes.name, _lines(nodes)), read_pods(pods.name, _lines(pods)))


def published(workload: str, arrived: int, scheduler: str = "FGD") -> float | None:
    """Returns the published allocation of a scheduler in percent, when so many percent of all GPUs had arrived."""
    for row in csv.DictReader(_lines(folder() / "published_fgd_results.csv")):
        name = row["policy"].partition("-")[2]
        if (row["workload"], name, row["arrived_pct"]) == (f"openb_pod_list_{workload}", scheduler, str(arrived)):
            return float(row["alloc_pct_mean"])
    return None


def _lines(path: Path) -> Sequence[str]:
    return path.read_text(encoding="utf-8").splitlines()
