"""The part that a pod plays: how long it runs and how it ends. Pure.

On a fake node two annotations declare it:

    corral.dev/fake-run-seconds: "600"     60 when absent
    corral.dev/fake-exit-code: "1"         0 when absent

A pod that is always started again and declares no time runs until it is deleted: it is a service, not a job.
"""

import math
from typing import NamedTuple

import msgspec

from corral.kinds.objects import Object

RUN_SECONDS = "corral.dev/fake-run-seconds"
EXIT_CODE = "corral.dev/fake-exit-code"
USUAL_SECONDS = 60.0
FIRST_REST = 10.0
"""A kubelet's own back-off begins with this."""


class Part(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The part that one pod plays; times are in seconds."""

    pending: float = 0.0
    """How long it stays bound and not started."""
    init_seconds: float = 0.0
    init_exit_code: int = 0
    seconds: float | None = 0.2
    """How long its containers run; None is until the pod is deleted."""
    exit_codes: tuple[int, ...] = (0,)
    """How each run ends; the last one counts for all further runs. Whether there is another is the restart policy's."""
    rest: float = 0.0
    """How long a container rests before it is started again; doubled each time, as in CrashLoopBackOff."""
    reason: str = ""
    """The reason of an end that is not good, such as OOMKilled."""
    lines: tuple[str, ...] = ("hello from {pod}", "{container} is done")
    """What each container says in each run; {pod} and {container} are filled in."""

    def exit_code(self, run: int) -> int:
        """Returns how a run ends, counted from 0."""
        return self.exit_codes[min(run, len(self.exit_codes) - 1)]


class Declared(NamedTuple):
    """The part that the annotations of a pod declare, and what could not be read of them."""

    part: Part
    complaint: str = ""


def declared(pod: Object) -> Declared:
    """Returns the part of a pod on a fake node; what cannot be read counts as absent."""
    annotations = pod["metadata"].get("annotations") or {}
    complaints: list[str] = []
    is_service = pod["spec"].get("restartPolicy", "Always") == "Always"
    seconds: float | None = None if is_service else USUAL_SECONDS
    if RUN_SECONDS in annotations:
        found = _number(annotations[RUN_SECONDS])
        if found is None:
            complaints.append(f"{RUN_SECONDS} is not a number of seconds: {annotations[RUN_SECONDS]!r}")
        else:
            seconds = found
    code = _number(annotations.get(EXIT_CODE, "0"))
    if code is None or code > 255 or not code.is_integer():
        complaints.append(f"{EXIT_CODE} is not an exit code from 0 to 255: {annotations[EXIT_CODE]!r}")
        code = 0.0
    return Declared(Part(seconds=seconds, exit_codes=(int(code),), rest=FIRST_REST), "; ".join(complaints))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
