"""Runs the tests in lanes side by side: most of them wait for real processes, and one lane would leave a core idle.

The first lane speaks as it goes; the others write to files, which are shown when all have ended. A few tests that failed beside
all the others are looked at once more when the machine is quiet: whoever fails twice fails, and whoever passes then is named, since
a test that minds its neighbours is a defect too, but not that of the change. The exit status is bad when that of any lane is.
`make test` runs it.
"""

import json
import subprocess
import sys
import time
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


class Lane(NamedTuple):
    """One run of pytest beside the others."""

    name: str
    log: Path
    process: "subprocess.Popen[bytes]"


def main(arguments: list[str]) -> int:
    """Runs all lanes with the same arguments and returns the exit status."""
    CACHE.mkdir(exist_ok=True)
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
    for name in [name for name, status in statuses.items() if status == FAILED]:
        statuses[name] = look_again(name, pytest)
    print(f"tests: all lanes took {time.monotonic() - began:.0f} s")
    return next((status for status in statuses.values() if status not in (0, NO_TESTS)), 0)


def memory_of(name: str) -> list[str]:
    """Returns the arguments that let a lane remember by itself what failed."""
    return ["-o", f"cache_dir={CACHE / 'pytest' / name}"]


def look_again(name: str, pytest: list[str]) -> int:
    """Runs the few tests of a lane that failed once more, by themselves; returns how that ended."""
    failed = sorted(json.loads((CACHE / "pytest" / name / "v/cache/lastfailed").read_text()))
    if len(failed) > MOST_LOOKED_AT_AGAIN:
        return FAILED
    print(f"tests: failed beside other tests, looked at once more alone: {', '.join(failed)}", flush=True)
    again = subprocess.run([*pytest, *memory_of(name), *failed], cwd=ROOT, check=False).returncode
    verdict = "failed again" if again else "passed alone; each minds its neighbours, and wants mending"
    print(f"tests: {verdict}: {', '.join(failed)}", flush=True)
    return again


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
