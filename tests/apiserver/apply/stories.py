"""The stories of this folder: steps, and what a real server made of them."""

import json
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
NAMESPACE = "ownership-lab"
CONTENT = {
    "apply": "application/apply-patch+yaml",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
THING_SCHEMA: dict[str, Any] = yaml.safe_load((HERE / "thing_schema.yaml").read_text())


def stories() -> dict[str, Any]:
    """Returns every story by name."""
    found: dict[str, Any] = yaml.safe_load((HERE / "stories.yaml").read_text())
    return found


def recorded() -> dict[str, list[dict[str, Any]]]:
    """Returns the object before and after every step of every story, as a real server showed them."""
    found: dict[str, list[dict[str, Any]]] = json.loads((HERE / "recorded.json").read_text())
    return found


def deed_of(step: dict[str, Any]) -> str:
    """Returns what a step does."""
    return next(word for word in ("create", "put", *CONTENT) if word in step)
