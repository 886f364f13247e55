"""What the pods of a hollow node do: how long they run, how they end, what they say. Pure."""

from fnmatch import fnmatchcase

import msgspec

from corral.engine.fake_nodes.part import Part
from corral.kinds.objects import Object

ANNOTATION = "hollow.corral.dev/part"
"""Where a pod carries its own part as JSON, such as `{"seconds": 1, "exitCodes": [1, 0]}`."""


class Script(msgspec.Struct, frozen=True):
    """The parts of all pods: a pod's annotation comes first, then the first pattern that its name matches."""

    parts: tuple[tuple[str, Part], ...] = ()
    otherwise: Part = Part()
    binds: bool = True
    """Whether the node takes pods that nobody has bound; it must not where a scheduler runs."""

    def part_of(self, pod: Object) -> Part:
        """Returns the part of a pod."""
        meta = pod["metadata"]
        own = (meta.get("annotations") or {}).get(ANNOTATION)
        if own:
            return msgspec.json.decode(own, type=Part)
        return next((part for pattern, part in self.parts if fnmatchcase(meta["name"], pattern)), self.otherwise)
