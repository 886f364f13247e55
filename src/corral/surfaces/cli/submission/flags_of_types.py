"""The flags that only some types of jobs have; how the roles of a TFJob are told apart is made, not written."""

from typing import Final

from corral.kinds.submission import spelling
from corral.surfaces.cli.submission.flag import (
    AMOUNT,
    COUNT,
    IMAGE,
    NAME,
    PAIRS,
    PORT,
    SWITCH,
    TEXT,
    TIME,
    Flag,
    Value,
    chosen,
)

_CPU: Final = (
    Flag("--cpu", "cpu", AMOUNT, "Processors of each worker: 2, 500m."),
    Flag("--memory", "memory", AMOUNT, "Memory of each worker: 8Gi."),
)


def _amounts(role: str, of: str) -> tuple[Flag, ...]:
    """Returns the four flags about processors and memory of one role; those of the chief had a capital letter once."""
    cpu, memory = (("--ChiefCpu",), ("--ChiefMemory",)) if role == "chief" else ((), ())
    return (
        Flag(f"--{role}-cpu", f"{role}.cpu", AMOUNT, f"Processors of {of}.", also=cpu),
        Flag(f"--{role}-cpu-limit", f"{role}.cpu_limit", AMOUNT, f"The most processors of {of}."),
        Flag(f"--{role}-memory", f"{role}.memory", AMOUNT, f"Memory of {of}.", also=memory),
        Flag(f"--{role}-memory-limit", f"{role}.memory_limit", AMOUNT, f"The most memory of {of}."),
    )


def _selector(role: str, of: str) -> Flag:
    return Flag(f"--{role}-selector", f"{role}.selector", PAIRS, f"A label of the nodes of {of}; repeatable.")


def _affinity(role: str, of: str) -> tuple[Flag, Flag]:
    policy, constraint = chosen("none", "spread", "binpack"), chosen("preferred", "required")
    return (
        Flag(f"--{role}-affinity-policy", f"{role}.affinity", policy, f"Keep {of} apart, or together."),
        Flag(
            f"--{role}-affinity-constraint", f"{role}.affinity_constraint", constraint, "If it can be, or in any case."
        ),
    )


_OF: Final = {"worker": "workers", "ps": "parameter servers", "chief": "the chief", "evaluator": "the evaluator"}

_TENSORFLOW: Final = (
    Flag("--ps", "ps_count", COUNT, "How many parameter servers."),
    Flag("--chief", "has_chief", SWITCH, "With a chief."),
    Flag("--evaluator", "has_evaluator", SWITCH, "With an evaluator."),
    Flag("--worker-image", "worker.image", IMAGE, "The image of workers."),
    Flag("--ps-image", "ps.image", IMAGE, "The image of parameter servers."),
    *(
        Flag(f"--{role}-port", f"{role}.port", PORT, f"The port of {_OF[role]}; 0 leaves it to the operator.")
        for role in ("worker", "ps", "chief")
    ),
    Flag("--ps-gpus", "ps.gpus", COUNT, "GPUs of each parameter server."),
    *(flag for role, of in _OF.items() for flag in (*_amounts(role, of), _selector(role, of))),
    *_affinity("worker", "workers"),
    *_affinity("ps", "parameter servers"),
    Flag(
        "--success-policy",
        "success_policy",
        Value("ChiefWorker|AllWorkers", spelling.success_policy),
        "Whose success is that of the job.",
    ),
)

_STARTING = "leave it out, or limit the whole by --running-timeout: no operator ends a job for waiting"
_SPOT = (
    "leave it out: workers of an elastic job may go at any time, down to --min-workers; where elastic-job-supervisor runs, give its"
    " mark yourself: --annotation job-supervisor.kube-ai.io/spot-instance=true"
)
_MAX_WAIT = (
    "leave it out: nobody ends a wait here; where elastic-job-supervisor runs, give its mark yourself: --annotation"
    " job-supervisor.kube-ai.io/max-wait-time=SECONDS"
)
_SEQUENCE = "leave it out: all roles start at once, and wait for each other"

_LAUNCHED: Final = (
    _selector("launcher", "the launcher"),
    Flag("--launcher-annotation", "launcher.annotations", PAIRS, "An annotation of the launcher; repeatable."),
    Flag("--worker-annotation", "worker.annotations", PAIRS, "An annotation of workers; repeatable."),
    Flag(
        "--job-restart-policy",
        "launcher.restart_policy",
        chosen("Never", "OnFailure"),
        "Whether the launcher restarts.",
    ),
    Flag("--job-backoff-limit", "retry", COUNT, "How often it may be restarted; 6 by default."),
    Flag("--ssh-secret", "ssh_secret", NAME, "A Secret with keys for ssh."),
)
_SSH_PORT: Final = Flag(
    "--ssh-port", "ssh_port", PORT, "The port at which images of workers listen for ssh, if they do."
)

OWN: dict[str, dict[str, tuple[Flag, ...]]] = {
    "tfjob": {
        "Own": _TENSORFLOW,
        "Refused": (
            Flag("--starting-timeout", "", TIME, "", refused=_STARTING),
            Flag("--role-sequence", "", TEXT, "", refused=_SEQUENCE),
        ),
    },
    "pytorchjob": {
        "Own": (
            *_CPU,
            Flag(
                "--nproc-per-node",
                "nproc_per_node",
                Value("auto|cpu|gpu|N", spelling.processes),
                "Processes of torchrun in each pod.",
            ),
        )
    },
    "mpijob": {
        "Own": (
            *_CPU,
            Flag("--gputopology", "gpu_topology", SWITCH, "GPUs with near connections, by the scheduler of Alibaba."),
            Flag("--mounts-on-launcher", "mounts_on_launcher", SWITCH, "The launcher has the claims of --data too."),
            _SSH_PORT,
        )
    },
    "horovodjob": {"Own": (*_CPU, _SSH_PORT)},
    "etjob": {
        "Own": (
            *_CPU,
            Flag("--min-workers", "bounds.least", COUNT, "The fewest workers; 1 by default."),
            Flag("--max-workers", "bounds.most", COUNT, "The most workers; 1000 by default."),
            Flag(
                "--worker-restart-policy",
                "worker.restart_policy",
                chosen("Never", "OnFailure", "Always", "ExitCode"),
                "When workers restart.",
            ),
            *_LAUNCHED,
        ),
        "Refused": (
            Flag("--spot-instance", "", SWITCH, "", refused=_SPOT),
            Flag("--max-wait-time", "", COUNT, "", refused=_MAX_WAIT),
        ),
    },
    "deepspeedjob": {"Own": (*_CPU, *_LAUNCHED)},
    "jaxjob": {"Own": _CPU},
    "xgboostjob": {"Own": _CPU},
    "paddlejob": {"Own": _CPU},
    "mxjob": {"Own": (*_CPU, Flag("--servers", "servers", COUNT, "Servers of the key-value store; 1 by default."))},
}
