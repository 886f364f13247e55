"""Why something is as it is: a value with a code for programs, a sentence for people, and the numbers behind it.

The same value feeds status, `corral why`, the console and the metrics; whoever decides something makes one of these.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

_NOTHING: Mapping[str, Any] = {}


class Evidence(NamedTuple):
    """Something that was seen or said, and about what: `pod/digits-worker-0`."""

    about: str
    text: str


class Reason(NamedTuple):
    """One reason."""

    code: str
    sentence: str
    numbers: Mapping[str, Any] = _NOTHING
    """What was counted, by name: {"needed": 8, "free": 6, "resource": "nvidia.com/gpu"}."""
    evidence: tuple[Evidence, ...] = ()
    next_steps: tuple[str, ...] = ()
    """What helps, the likeliest first: commands to type, or what to ask for."""
    details: Mapping[str, Any] = _NOTHING
    """More for programs, by name: {"placement": {"nodes": [...], "remedies": [...]}}."""

    def document(self) -> dict[str, Any]:
        """Returns the reason as data."""
        return {
            "code": self.code,
            "sentence": self.sentence,
            "numbers": dict(self.numbers),
            "evidence": [one._asdict() for one in self.evidence],
            "nextSteps": list(self.next_steps),
            **self.details,
        }
