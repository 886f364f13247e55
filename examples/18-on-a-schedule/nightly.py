"""Fits a line to noisy points, a few steps each night, and goes on where the night before has ended.

Only the standard library: what it shows is the schedule and the claim, not the learning.
"""

import json
import os
import random
from pathlib import Path

STEPS, RATE = 200, 0.05
SLOPE, OFFSET = 3.0, -1.0


def main() -> None:
    """Trains for one night."""
    path = Path(os.environ.get("OUTPUT_DIR", "."), "line.json")
    model = json.loads(path.read_text()) if path.exists() else {"slope": 0.0, "offset": 0.0, "nights": 0}
    points = random.Random(model["nights"])  # noqa: S311 - points, not secrets
    print(f"night {model['nights'] + 1}: begins with {model['slope']:.3f} x + {model['offset']:.3f}", flush=True)
    for step in range(1, STEPS + 1):
        x = points.uniform(-1, 1)
        error = model["slope"] * x + model["offset"] - (SLOPE * x + OFFSET + points.gauss(0, 0.05))
        model["slope"] -= RATE * error * x
        model["offset"] -= RATE * error
        if step % 50 == 0:
            print(f"step {step}/{STEPS} loss={error * error:.4f}", flush=True)
    model["nights"] += 1
    saved = path.with_suffix(".new")
    saved.write_text(json.dumps(model))
    saved.replace(path)  # a night that is cut off leaves the line of the night before
    print(f"done after {model['nights']} nights: {model['slope']:.3f} x + {model['offset']:.3f}", flush=True)


if __name__ == "__main__":
    main()
