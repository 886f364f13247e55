"""Runs the tests in lanes side by side: most of them wait for real processes, and one lane would leave a core idle.

The first lane speaks as it goes; the others write to files, which are shown when all have ended. A few tests that failed beside
all the others are looked at twice more when the machine is quiet: whoever fails again fails, and whoever passes both times is named
at the very end and kept in a file, since a test that minds its neighbours is a defect too, but not that of the change. The exit
status is bad when that of any lane is. The last line counts all lanes together. `make test` runs it.
"""

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
BESIDE = {"training": ("tests/training",), "node": ("tests/node", "tests/examples")}
"""What runs beside the rest, by the name of its lane."""
REST = "the-rest"
"""The name of the first lane."""
FAILED, NO_TESTS = 1, 5
"""What pytest answers when tests failed; and when nothing was selected, such as by -k, which is no failure of that lane."""
MOST_LOOKED_AT_AGAIN = 6
"""More failures than these in a lane are not the neighbours' fault."""
LOOKS = 2
"""How often a test that failed must pass alone: one that passes every other time is no neighbour's victim."""
PASSED_ALONE = CACHE / "tests-that-passed-only-alone.txt"
"""Grows from run to run; whoever stands in it often is to be mended."""


class Lane(NamedTuple):
    """One run of pytest beside the others."""

    name: str
    log: Path
    process: "subprocess.Popen[bytes]"


class Outcome(NamedTuple):
    """How a lane ended, with what was seen when its failures were looked at again."""

    name: str
    status: int
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    alone: tuple[str, ...] = ()
    """The tests that failed beside others, and passed alone."""

    @property
    def is_good(self) -> bool:
        """Whether nothing failed; a lane in which no test was selected is good too."""
        return self.status in (0, NO_TESTS)

    @property
    def words(self) -> str:
        """Returns the outcome in a line."""
        ended = "" if self.is_good or self.failed else f"; pytest ended with {self.status}"
        alone = f"; {len(self.alone)} of these passed only alone: {', '.join(self.alone)}" if self.alone else ""
        return f"{self.name}: {self.passed} passed, {self.failed} failed, {self.skipped} skipped{ended}{alone}"


def main(arguments: list[str]) -> int:
    """Runs all lanes with the same arguments and returns the exit status."""
    CACHE.mkdir(exist_ok=True)
    for name in (*BESIDE, REST):
        report_of(name).unlink(missing_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-q", *arguments]
    began = time.monotonic()
    lanes = [begin(name, [*pytest, "--cache-clear", *memory_of(name), *folders]) for name, folders in BESIDE.items()]
    try:
        for lane in lanes:
            words = f"its words are kept in {lane.log.relative_to(ROOT)}"
            print(f"tests: {' and '.join(BESIDE[lane.name])} run beside, {words}", flush=True)
        ignored = [f"--ignore={folder}" for folders in BESIDE.values() for folder in folders]
        first = [*pytest, "--cache-clear", *memory_of(REST), "tests", *ignored]
        statuses = {REST: subprocess.run(first, cwd=ROOT, check=False).returncode}
        for lane in lanes:
            if lane.process.poll() is None:
                print(f"tests: waiting for {' and '.join(BESIDE[lane.name])}", flush=True)
            statuses[lane.name] = lane.process.wait()
    finally:
        for lane in lanes:
            end(lane)
    for lane in lanes:
        print(lane.log.read_text(errors="replace"), end="")
    outcomes = [looked_at_again(outcome_of(name, status), pytest) for name, status in statuses.items()]
    print(f"tests: all lanes took {time.monotonic() - began:.0f} s")
    return closed(outcomes)


def closed(outcomes: list[Outcome]) -> int:
    """Says how all lanes ended, keeps the names of those that passed only alone, and returns the exit status."""
    for one in outcomes:
        print(f"tests: {one.words}")
    if alone := [name for one in outcomes for name in one.alone]:
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with PASSED_ALONE.open("a") as kept:
            kept.writelines(f"{when} {name}\n" for name in alone)
        print(
            f"tests: {len(alone)} passed only alone, and want mending; all that ever did: {PASSED_ALONE.relative_to(ROOT)}"
        )
    counts = [
        sum(numbers) for numbers in zip(*((one.passed, one.failed, one.skipped) for one in outcomes), strict=True)
    ]
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped", flush=True)
    return next((one.status for one in outcomes if not one.is_good), 0)


def memory_of(name: str) -> list[str]:
    """Returns the arguments that let a lane remember by itself what failed, and how much passed."""
    return ["-o", f"cache_dir={CACHE / 'pytest' / name}", f"--junit-xml={report_of(name)}"]


def report_of(name: str) -> Path:
    """Returns where the counts of a lane are kept."""
    return CACHE / "pytest" / f"{name}.xml"


def outcome_of(name: str, status: int) -> Outcome:
    """Returns how a lane ended; one that was broken off has no counts."""
    if not report_of(name).exists():
        return Outcome(name, status)
    suites = ElementTree.parse(report_of(name)).getroot().iter("testsuite")  # noqa: S314 - pytest has just written it
    found = [[int(suite.get(word, 0)) for word in ("tests", "failures", "errors", "skipped")] for suite in suites]
    tests, failures, errors, skipped = (sum(numbers) for numbers in zip(*found, strict=True))
    return Outcome(name, status, tests - failures - errors - skipped, failures + errors, skipped)


def looked_at_again(outcome: Outcome, pytest: list[str]) -> Outcome:
    """Runs the few tests of a lane that failed by themselves, one after the other; returns the outcome with what was seen."""
    memory = CACHE / "pytest" / outcome.name / "v/cache/lastfailed"
    if outcome.status != FAILED or not memory.exists():
        return outcome
    failed = sorted(json.loads(memory.read_text()))
    if len(failed) > MOST_LOOKED_AT_AGAIN:
        print(f"tests: {len(failed)} failed in {outcome.name}, too many to be looked at again", flush=True)
        return outcome
    alone = tuple(name for name in failed if passes_alone(name, pytest))
    left = outcome.failed - len(alone)
    status = 0 if len(alone) == len(failed) else FAILED
    return outcome._replace(status=status, passed=outcome.passed + len(alone), failed=max(left, 0), alone=alone)


def passes_alone(name: str, pytest: list[str]) -> bool:
    """Whether a test that failed beside others passes each time it is run by itself."""
    print(f"tests: failed beside other tests, looked at alone, {LOOKS} times: {name}", flush=True)
    command = [*pytest, "-o", f"cache_dir={CACHE / 'pytest' / 'alone'}", name]
    return all(subprocess.run(command, cwd=ROOT, check=False).returncode == 0 for _ in range(LOOKS))


def begin(name: str, command: list[str]) -> Lane:
    """Starts one lane."""
    path = CACHE / f"tests-of-{name}.log"
    with path.open("wb") as log:
        return Lane(name, path, subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT))


def end(lane: Lane) -> None:
    """Ends a lane that still runs."""
    if lane.process.poll() is None:
        lane.process.terminate()
        lane.process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
