"""Whether a run was killed because it used more memory than it may, with the figures that a person needs to choose a limit.

The evidence lives in the control group while there is one, and in the file `oom` of the run folder afterwards.
"""

import os

from corral.engine.node.containers.record import Run, oom_path
from corral.engine.node.machine.control_groups import killed_for_memory, peak_memory
from corral.engine.supervisor.home import note, read_text


def oom_evidence(run: Run) -> str:
    """Returns a sentence with the measured peak when memory was the end of this run, or of a part of it; else nothing."""
    kept = read_text(oom_path(run.folder)).strip()
    return kept or _evidence_in_groups(run)


def keep_evidence(run: Run) -> None:
    """Writes down what the control groups of a run tell, before they are removed."""
    sentence = oom_evidence(run)
    if sentence and not os.path.exists(oom_path(run.folder)):
        note(oom_path(run.folder), sentence + "\n")


def sentence_about(limit: int, peak: int, deed: str) -> str:
    """Returns the evidence as a sentence."""
    return f"used up to {_readable(peak)} of memory with a limit of {_readable(limit)}; {deed}"


def _evidence_in_groups(run: Run) -> str:
    killed = killed_for_memory(run.groups)
    if not killed or run.memory_bytes is None:
        return ""
    processes = "a process" if killed == 1 else f"{killed} processes"
    return sentence_about(run.memory_bytes, peak_memory(run.groups), f"the kernel killed {processes} of it")


def _readable(count: int) -> str:
    return f"{count / 2**30:.2f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
