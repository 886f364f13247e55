"""Where the start goes: the time that each package's own modules take to import."""

import re
import subprocess
import sys
from collections import Counter

_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")


def import_profile() -> dict[str, float]:
    """Returns the milliseconds of importing our server, by top package, the largest first; with tracing, so too high."""
    command = [sys.executable, "-X", "importtime", "-c", "import corral.engine.apiserver.__main__"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    spent: Counter[str] = Counter()
    for microseconds, module in _LINE.findall(told):
        spent[module.split(".")[0]] += int(microseconds)
    return {name: total / 1e3 for name, total in spent.most_common(15)}
