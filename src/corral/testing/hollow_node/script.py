"""What the pods of a hollow node do: how long they run, how they end, what they say. Pure."""

from fnmatch import fnmatchcase

import msgspec

from corral.kinds.objects import Object

ANNOTATION = "hollow.corral.dev/part"
"""Where a pod carries its own part as JSON, such as `{"seconds": 1, "exitCodes": [1, 0]}`."""


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
    reason: str = ""
    """The reason of an end that is not good, such as OOMKilled."""
    lines: tuple[str, ...] = ("hello from {pod}", "{container} is done")
    """What each container says in each run; {pod} and {container} are filled in."""

    def exit_code(self, run: int) -> int:
        """Returns how a run ends, counted from 0."""
        return self.exit_codes[min(run, len(self.exit_codes) - 1)]


class Script(msgspec.Struct, frozen=True):
    """The parts of all pods: a pod's annotation comes first, then the first pattern that its name matches."""

    parts: tuple[tuple[str, Part], ...] = ()
    otherwise: Part = Part()

    def part_of(self, pod: Object) -> Part:
        """Returns the part of a pod."""
        meta = pod["metadata"]
        own = (meta.get("annotations") or {}).get(ANNOTATION)
        if own:
            return msgspec.json.decode(own, type=Part)
        return next((part for pattern, part in self.parts if fnmatchcase(meta["name"], pattern)), self.otherwise)


def starts_again(restart_policy: str, exit_code: int) -> bool:
    """Whether a container that ended is started again in its place."""
    return restart_policy == "Always" or (restart_policy == "OnFailure" and exit_code != 0)
