"""Runs the tests in lanes side by side: most of them wait for real processes, and one lane would leave a core idle.

The first lane speaks as it goes; the others write to files, which are shown when all have ended. The exit status is bad when
that of any lane is. `make test` runs it.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
BESIDE = {"training": ("tests/training",), "node": ("tests/node", "tests/examples")}
"""What runs beside the rest, by the name of its lane."""
NO_TESTS = 5
"""What pytest answers when nothing was selected, such as by -k: no failure of that lane."""


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
    lanes = [begin(name, [*pytest, *folders]) for name, folders in BESIDE.items()]
    try:
        for lane in lanes:
            words = f"its words are kept in {lane.log.relative_to(ROOT)}"
            print(f"tests: {' and '.join(BESIDE[lane.name])} run beside, {words}", flush=True)
        ignored = [f"--ignore={folder}" for folders in BESIDE.values() for folder in folders]
        statuses = [subprocess.run([*pytest, "tests", *ignored], cwd=ROOT, check=False).returncode]
        for lane in lanes:
            if lane.process.poll() is None:
                print(f"tests: waiting for {' and '.join(BESIDE[lane.name])}", flush=True)
            statuses.append(lane.process.wait())
    finally:
        for lane in lanes:
            end(lane)
    for lane in lanes:
        print(lane.log.read_text(errors="replace"), end="")
    print(f"tests: all lanes took {time.monotonic() - began:.0f} s")
    return next((status for status in statuses if status not in (0, NO_TESTS)), 0)


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
