"""A script that somebody wants to have run, as a value, and the submission that it is."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from corral.errors import PermanentError
from corral.kinds.script_run.frameworks import MPI, MXNET, PADDLE, PYTORCH, Framework
from corral.kinds.submission.code_bundle import CodeBundle
from corral.kinds.submission.submission import Submission

THIS_MACHINE: Final = "this-machine"
"""The image of runs whose command names an interpreter of this machine."""
CODE_FOLDER: Final = "/corral/code"
"""Where a worker finds code that was sent to it."""
_PADDLE_LOGS: Final = "/tmp/paddle"  # noqa: S108 - a path in containers, where the folder of the code cannot be written to


class ScriptRun(msgspec.Struct, frozen=True, kw_only=True):
    """A script, what runs it, and how; everything else about the job is said as in any submission."""

    framework: Framework
    script: str
    """Its path from the working directory."""
    args: tuple[str, ...] = ()
    python: str = "python"
    """The interpreter."""
    launcher: str = "mpirun"
    """The program that starts processes in the workers of MPI."""
    working_dir: str = CODE_FOLDER
    code: CodeBundle | None = None
    """The code, when it is not where the workers already find it."""
    modules: frozenset[str] = frozenset()
    """The packages that the script imports."""
    more: Mapping[str, Any] = {}
    """Further fields of the submission: name, workers, image, gpus, cpu, memory, env."""


def submission_of(run: ScriptRun) -> Submission:
    """Returns the submission that runs a script."""
    base = Submission(
        **{
            "image": THIS_MACHINE,
            "image_pull_policy": "IfNotPresent",
            "clean_policy": "Running",
            **run.more,
            "type": run.framework.type,
            "working_dir": run.working_dir,
            "code": run.code,
        }
    )
    return msgspec.structs.replace(
        base,
        argv=_words(run, base),
        env={"PYTHONUNBUFFERED": "1", **_own_env(run, base), **base.env},
        pod_fields=_pod_fields(run, base),
        is_here=base.image == THIS_MACHINE,
    )


def _words(run: ScriptRun, submission: Submission) -> tuple[str, ...]:
    script = (run.script, *run.args)
    if run.framework == MPI:
        # One rank that fails ends the others too; otherwise they would wait for it forever.
        guard = ("-m", "mpi4py") if "mpi4py" in run.modules else ()
        processes = submission.workers * max(submission.gpus, 1)
        return (run.launcher, "-n", str(processes), run.python, *guard, *script)
    if run.framework == PADDLE and submission.workers > 1:
        return (run.python, "-m", "paddle.distributed.launch", *script)
    if submission.nproc_per_node:
        if run.framework != PYTORCH:
            message = f"scripts of {run.framework.name} start their processes themselves"
            raise PermanentError("no-launcher", message, hint="leave out --nproc-per-node; it is for pytorch")
        return (run.python, "-m", "torch.distributed.run", *script)
    return (run.python, *script)


def _own_env(run: ScriptRun, submission: Submission) -> dict[str, str]:
    return {"PADDLE_LOG_DIR": _PADDLE_LOGS} if run.framework == PADDLE and submission.workers > 1 else {}


def _pod_fields(run: ScriptRun, submission: Submission) -> dict[str, str]:
    """Returns the variables by which a pod tells the others its address, where a framework would tell a wrong one."""
    if run.framework == PADDLE and submission.workers > 1:
        return {"POD_IP": "status.podIP"}
    return {"DMLC_NODE_HOST": "status.podIP"} if run.framework == MXNET else {}
