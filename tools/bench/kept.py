"""The last figures of every measure in one file: each keeps its day and its machine until it is measured again.

A run of one part, on another day or another machine, replaces what it measured and nothing else. Machines differ in more than
their figures show, so every measure names its own: a file as a whole has none.
"""

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Section = dict[str, Any]


def machine() -> dict[str, Any]:
    """Returns what the figures are measured on."""
    cpuinfo, meminfo = Path("/proc/cpuinfo").read_text(), Path("/proc/meminfo").read_text()
    models = {line.partition(":")[2].strip() for line in cpuinfo.splitlines() if line.startswith("model name")}
    return {
        "processors": os.cpu_count(),
        "model": ", ".join(sorted(models)) or "unknown",
        "memory_gb": round(int(meminfo.split()[1]) * 1024 / 1e9, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def described(known: Mapping[str, Any]) -> str:
    """Returns a machine in a few words."""
    return f"{known['processors']} processors ({known['model']}), {known['memory_gb']:g} GB, {known['system']}"


def merged(kept: Mapping[str, Any], found: Mapping[str, Section], on: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of the file: new figures over the kept ones, each measure with its machine.

    Earlier files told one machine for all.
    """
    known = {name: {"machine": kept.get("machine"), **one} for name, one in kept.get("measures", {}).items()}
    return {"measures": {**known, **{name: {"machine": on, **one} for name, one in found.items()}}}


def read(path: Path) -> dict[str, Any]:
    """Returns what a file of figures keeps; nothing when there is none."""
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return kept


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a file of figures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")
