"""Runs the tests in two halves side by side: most of them wait for real processes, and one half would leave a core idle.

The second half writes to a file, which is shown when the first has ended. The exit status is bad when either is. `make
test` runs it.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / ".cache" / "tests-of-training.log"
BESIDE = "tests/training"
NO_TESTS = 5
"""What pytest answers when nothing was selected, such as by -k: no failure of that half."""


def main(arguments: list[str]) -> int:
    """Runs both halves with the same arguments and returns the exit status."""
    LOG.parent.mkdir(exist_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-q", *arguments]
    began = time.monotonic()
    with LOG.open("wb") as log:
        beside = subprocess.Popen([*pytest, BESIDE], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            print(f"tests: {BESIDE} runs beside, its words are kept in {LOG.relative_to(ROOT)}", flush=True)
            status = subprocess.run([*pytest, "tests", f"--ignore={BESIDE}"], cwd=ROOT, check=False).returncode
            if beside.poll() is None:
                print(f"tests: waiting for {BESIDE}", flush=True)
            other = beside.wait()
        finally:
            if beside.poll() is None:
                beside.terminate()
                beside.wait()
    print(LOG.read_text(errors="replace"), end="")
    print(f"tests: both halves took {time.monotonic() - began:.0f} s")
    return next((one for one in (status, other) if one not in (0, NO_TESTS)), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
