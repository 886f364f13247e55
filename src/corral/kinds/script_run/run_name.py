"""The name of a run: that of its script, and a few letters so that it can be run again."""

import re
from typing import Final

LONGEST: Final = 40
"""What is left for the script's name: pods and services add their roles and numbers."""


def name_of_run(script: str, token: str) -> str:
    """Returns the name of a job for a script such as `src/Train_Model.py`: `train-model-x7k2p`."""
    stem = script.rpartition("/")[2].removesuffix(".py")
    words = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:LONGEST].rstrip("-")
    if not words or not words[0].isalpha():
        words = f"run-{words}".rstrip("-")
    return f"{words}-{token[:5]}"
