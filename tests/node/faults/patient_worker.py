"""A rank of a job that takes its time: `python patient_worker.py FOLDER SECONDS`.

It holds a lock on a file of its rank, so that a second process of the same rank is noticed, and notes what it does: when it
began, that it was doubled, that it is done. A rank that is started again goes on from the step it had reached. As long as
there is a file `hold` in the folder, ranks that have made all their steps wait. The master is the last to be done, since its
end is that of the job, and ends whoever is not.
"""

import fcntl
import os
import sys
import time
from pathlib import Path

STEP_SECONDS = 0.1
PATIENCE_STEPS = 600
"""How long the master waits for the others, in steps."""


def main(folder: Path, seconds: float) -> int:
    """Works through the steps that are left."""
    rank = os.environ["RANK"]
    lock = os.open(folder / f"{rank}.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        note(folder, rank, "doubled")
        return 9
    note(folder, rank, "begun")
    kept = folder / f"{rank}.step"
    last = int(seconds / STEP_SECONDS)
    for step in range(int(kept.read_text()) if kept.exists() else 0, last):
        draft = kept.with_suffix(".new")
        draft.write_text(str(step + 1))
        draft.replace(kept)
        print(f"rank {rank} step {step + 1}/{last}", flush=True)
        time.sleep(STEP_SECONDS)
    while (folder / "hold").exists():
        time.sleep(STEP_SECONDS)
    others = [folder / f"{other}.notes" for other in range(1, int(os.environ["WORLD_SIZE"]))] if rank == "0" else []
    for _ in range(PATIENCE_STEPS):
        if all(other.exists() and "done" in other.read_text() for other in others):
            break
        time.sleep(STEP_SECONDS)
    note(folder, rank, "done")
    return 0


def note(folder: Path, rank: str, word: str) -> None:
    """Appends one line to what this rank did."""
    with (folder / f"{rank}.notes").open("a") as file:
        file.write(f"{word} {os.getpid()}\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))
