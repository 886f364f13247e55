"""A module of the package."""

import json

WIDTH = 4


def width_of(text: str) -> int:
    return int(json.loads(text)) * WIDTH
