"""Whether a run was killed because it used more memory than it may, with the figures that a person needs to choose a limit.

The evidence lives in the control group while there is one, and in the file `oom` of the run folder afterwards.
"""

import os

from corral.engine.node.containers.record import Run, oom_path
from corral.engine.node.machine.control_groups import killed_for_memory, peak_memory
from corral.engine.small_files import note, read_text


def oom_evidence(run: Run) -> str:
    """Returns a sentence with the measured peak when memory was the end of this run, or of a part of it; else nothing."""
    kept = read_text(oom_path(run.folder)).strip()
    return kept or _evidence_in_groups(run)


def keep_evidence(run: Run) -> bool:
    """Writes down what the control groups of a run tell, before they are removed; False when the disk does not take it."""
    sentence = oom_evidence(run)
    if not sentence or os.path.exists(oom_path(run.folder)):
        return True
    try:
        note(oom_path(run.folder), sentence + "\n")
    except OSError:
        # The groups go on telling it as long as they are there.
        return False
    return True


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
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.2f} {unit}" if unit == "GiB" else f"{count / size:.1f} {unit}"
    return f"{count} bytes"
