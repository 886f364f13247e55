"""Whatever happens to the pods of a job, and whenever the operator dies, the invariants of training jobs hold.

A machine of random steps (nodes run and end pods, people delete them, scale and suspend, nodes get lost, the operator looks
or dies between two writes) drives the real decisions; after every step the invariants are checked.
"""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from corral.kinds.training.catalogue import facts_of
from tests.domain.reconcile.training_builders import manifest
from tests.property.training.model import TERMINAL, Cluster

KINDS = {
    "TFJob": ("Chief", "PS", "Worker"),
    "PyTorchJob": ("Master", "Worker"),
    "XGBoostJob": ("Master", "Worker"),
    "PaddleJob": ("Worker",),
    "JAXJob": ("Worker",),
    "MXJob": ("Scheduler", "Server", "Worker"),
}
POLICIES = ("Never", "OnFailure", "ExitCode", "Always")
CODES = (0, 1, 137, 143)


class TrainingJobs(RuleBasedStateMachine):
    """One job and everything that can befall it."""

    cluster: Cluster

    @initialize(
        kind=st.sampled_from(sorted(KINDS)),
        workers=st.integers(1, 3),
        policy=st.sampled_from(POLICIES),
        clean=st.sampled_from(("None", "Running", "All")),
        limit=st.sampled_from((None, 0, 1, 3)),
        gang=st.booleans(),
    )
    def begin(self, kind: str, workers: int, policy: str, clean: str, limit: int | None, gang: bool) -> None:
        """Submits a job."""
        counts = {role: workers if role == "Worker" else 1 for role in KINDS[kind]}
        roles: dict[str, Any] = {role: {"replicas": n, "restartPolicy": policy} for role, n in counts.items()}
        run_policy = {"cleanPodPolicy": clean} | ({} if limit is None else {"backoffLimit": limit})
        job = manifest(kind, runPolicy=run_policy, **roles)
        job["metadata"]["resourceVersion"] = "1"
        if gang:
            job["metadata"]["annotations"] = {"corral.dev/restart-scope": "gang"}
        self.cluster = Cluster(job)
        self.container = facts_of(job).container
        self.ended: tuple[Any, ...] | None = None
        self.limit, self.is_gang, self.clean = limit, gang, clean
        self.most_restarts = 0

    @property
    def names(self) -> list[str]:
        """Returns the pods there are."""
        return sorted(self.cluster.pods)

    @rule()
    def operator_looks(self) -> None:
        self.cluster.look()

    @rule(writes=st.integers(0, 4))
    def operator_dies(self, writes: int) -> None:
        self.cluster.look(writes)

    @rule(choice=st.integers(0, 9), node=st.sampled_from(("n1", "n2")))
    def node_runs_a_pod(self, choice: int, node: str) -> None:
        if self.names and node not in self.cluster.lost:
            self.cluster.run(self.names[choice % len(self.names)], node)

    @rule(choice=st.integers(0, 9), code=st.sampled_from(CODES))
    def program_ends(self, choice: int, code: int) -> None:
        if self.names:
            self.cluster.end(self.names[choice % len(self.names)], self.container, code)

    @rule(choice=st.integers(0, 9))
    def person_deletes_a_pod(self, choice: int) -> None:
        if self.names:
            self.cluster.delete(self.names[choice % len(self.names)])

    @rule()
    def nodes_confirm_deletions(self) -> None:
        self.cluster.confirm()

    @rule(node=st.sampled_from(("n1", "n2")))
    def node_is_lost(self, node: str) -> None:
        self.cluster.lost.setdefault(node, self.cluster.now)

    @rule()
    def nodes_come_back(self) -> None:
        self.cluster.lost.clear()

    @rule(seconds=st.sampled_from((1.0, 20.0, 40.0)))
    def time_passes(self, seconds: float) -> None:
        self.cluster.now += seconds

    @rule(asleep=st.booleans())
    def person_suspends_or_resumes(self, asleep: bool) -> None:
        self.cluster.job["spec"]["runPolicy"]["suspend"] = asleep

    @precondition(lambda self: not self.cluster.end_state)
    @rule(workers=st.integers(1, 4))
    def person_scales(self, workers: int) -> None:
        field = facts_of(self.cluster.job).map_field
        self.cluster.job["spec"][field]["Worker"]["replicas"] = workers

    @rule()
    def faults_stop_and_it_settles(self) -> None:
        """T7: after the last fault a few looks bring everything to rest, and nothing is written any more."""
        self.cluster.lost.clear()
        for _ in range(12):
            self.cluster.settle()
            self.cluster.confirm()
        assert self.cluster.look() == 0
        self._check_what_is_left()

    def _check_what_is_left(self) -> None:
        """T1 and T6: a job at rest has the pods it asks for, or has ended and left what its policy says."""
        job = self.cluster.job
        if self.cluster.end_state:
            phases = {pod["status"]["phase"] for pod in self.cluster.pods.values()}
            left = {"None": phases, "Running": phases - {"Running", "Pending"}, "All": set()}[self.clean]
            assert phases == left
        elif job["spec"]["runPolicy"].get("suspend"):
            assert not self.cluster.pods
            assert not self.cluster.services
        else:
            wanted = sum(one["replicas"] for one in job["spec"][facts_of(job).map_field].values())
            assert len(self.cluster.pods) == wanted == len(self.cluster.services)

    @invariant()
    def end_is_the_end(self) -> None:
        """T3: a terminal state never changes, and there is only one."""
        status = self.cluster.status
        true = [one["type"] for one in status.get("conditions", []) if one["status"] == "True"]
        assert len([kind for kind in true if kind in TERMINAL]) <= 1
        if self.ended is not None:
            assert self.ended == (status["conditions"], status["completionTime"])
        elif self.cluster.end_state:
            self.ended = (status["conditions"], status["completionTime"])

    @invariant()
    def one_pod_for_one_place(self) -> None:
        """T2: at most one live pod for each role and index."""
        labels = [pod["metadata"]["labels"] for pod in self.cluster.pods.values()]
        prefix = "training.kubeflow.org/replica-"
        places = [(one[prefix + "type"], one[prefix + "index"]) for one in labels]
        assert len(places) == len(set(places))

    @invariant()
    def attempts_are_counted_once(self) -> None:
        """T4: restarts count real failures that were acted upon, each once, and never go back."""
        restarts = self.cluster.status.get("restarts", 0)
        assert restarts >= self.most_restarts
        self.most_restarts = restarts
        if self.limit is not None and not self.cluster.end_state:
            assert restarts <= self.limit

    @invariant()
    def every_replacement_has_a_reason(self) -> None:
        """T5: a failed pod is removed only after its failure was written down."""
        assert not self.cluster.unexplained


TrainingJobs.TestCase.settings = settings(
    max_examples=120, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestTrainingInvariants = TrainingJobs.TestCase
