"""The examples that train, as their `example.toml` files describe them, and which of them run here."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNGS = {
    "test": "",
    "ci": "runs with CI=true or CORRAL_TEST_FULL=1: its framework is large",
    "full": "runs with CORRAL_TEST_FULL=1: its framework is rare, or large",
}


@dataclass(frozen=True)
class Example:
    """One manifest of one example, and what is promised about it."""

    folder: Path
    framework: str
    image: str
    accuracy: float
    seconds: float
    rung: str
    manifest: Path
    victim: str
    """The pod of which the test of recovery kills the program; empty when the example has none to spare."""

    def __str__(self) -> str:
        return f"{self.folder.name}-{self.manifest.stem}"

    @property
    def patience(self) -> float:
        """How many seconds to wait for its end: the stated ones are those of a machine with nothing else to do."""
        return 120 + 10 * self.seconds


def examples() -> list[Example]:
    """Returns every manifest of every example that trains."""
    return [one for path in sorted((ROOT / "examples").glob("*/example.toml")) for one in _of(path)]


def _of(path: Path) -> list[Example]:
    facts = tomllib.loads(path.read_text())
    jobs = facts.pop("jobs")
    return [
        Example(folder=path.parent, manifest=path.parent / job["manifest"], victim=job.get("kill", ""), **facts)
        for job in jobs
    ]


def reason_not_to_run(rung: str) -> str:
    """Returns why an example of this rung does not run here; empty when it does."""
    is_full = bool(os.environ.get("CORRAL_TEST_FULL"))
    is_ci = is_full or os.environ.get("CI") == "true"
    runs = {"test": True, "ci": is_ci, "full": is_full}
    return "" if runs[rung] else RUNGS[rung]
