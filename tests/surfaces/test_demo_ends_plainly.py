"""A demo that gets stuck says what it waited for and where the reason may stand, without a traceback."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

STUCK = """
import sys
from tools.demo import stage
from tools.patience import wait_for
from corral.engine.supervisor.home import default_home

def play():
    home = default_home()
    home.make_folders()
    with open(home.log_of("controllers"), "w") as log:
        log.write("the reason")
    wait_for("2 pods of jobs/evaluate", lambda: [], bool, 0.0)

sys.exit(stage.perform(play))
"""


def test_a_wait_in_vain_is_told_and_the_log_is_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUCK], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    log = ROOT / ".cache" / "demo-logs" / "controllers.log"
    assert done.returncode == 1
    assert done.stderr == f"error: waited 0 s in vain for 2 pods of jobs/evaluate\nhint: see what stands in {log}\n"
    assert log.read_text() == "the reason"
