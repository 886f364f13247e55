"""Where the embedded server deliberately differs from a real one: the only list of exceptions, each with its reason.

A difference is excused only in the stories and at the paths named there. The suite also tells which entries excused
anything at all, so that the list cannot grow old.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import yaml

from corral.testing.contracts.kubernetes_api.comparison import Finding

FILE = Path(__file__).parent / "differences.yaml"


@dataclass(frozen=True)
class Difference:
    """One deliberate difference: in which stories and steps, at which paths, and why. All but the reason are patterns."""

    reason: str
    paths: tuple[str, ...]
    stories: tuple[str, ...] = ("*",)
    steps: str = "*"

    def excuses(self, story: str, finding: Finding) -> bool:
        """Says whether a finding is this difference."""
        return (
            any(fnmatchcase(story, name) for name in self.stories)
            and fnmatchcase(finding.title, self.steps)
            and any(fnmatchcase(finding.path, path) for path in self.paths)
        )


@cache
def differences() -> tuple[Difference, ...]:
    """Returns every deliberate difference."""
    return tuple(
        Difference(each["reason"], tuple(each["paths"]), tuple(each.get("stories", ("*",))), each.get("steps", "*"))
        for each in yaml.safe_load(FILE.read_text()) or ()
    )


def unexcused(story: str, found: list[Finding], used: set[Difference]) -> list[Finding]:
    """Returns the findings that no listed difference excuses; the listed ones that did are added to `used`."""
    left = []
    for finding in found:
        excuses = [each for each in differences() if each.excuses(story, finding)]
        used.update(excuses)
        if not excuses:
            left.append(finding)
    return left
