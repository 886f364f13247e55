"""The patches of this folder, and what a real server made of them."""

import json
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
FORMS = ("strategic", "merge", "json")


def cases() -> dict[str, dict[str, Any]]:
    """Returns the objects with their patches."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "cases.yaml").read_text())
    return found


def recorded() -> dict[str, dict[str, Any]]:
    """Returns, for each object, itself as stored and the answer to every patch."""
    found: dict[str, dict[str, Any]] = json.loads((HERE / "recorded.json").read_text())
    return found
