"""The transcripts of a real server, one file per file of stories."""

import json
from functools import cache
from pathlib import Path

from corral.testing.contracts.kubernetes_api.playing import Transcript

FOLDER = Path(__file__).parent / "recorded"


@cache
def recorded(file: str) -> dict[str, Transcript]:
    """Returns the transcripts of a file of stories, by the name of the story; empty when nothing was recorded."""
    path = FOLDER / f"{file}.json"
    found: dict[str, Transcript] = json.loads(path.read_text()) if path.exists() else {}
    return found


def write(file: str, transcripts: dict[str, Transcript]) -> Path:
    """Keeps transcripts; one line per step, so that a change of one answer is a change of one line."""
    path = FOLDER / f"{file}.json"
    stories = []
    for name, transcript in transcripts.items():
        steps = ",\n".join("  " + json.dumps(told, sort_keys=True, ensure_ascii=False) for told in transcript)
        stories.append(f"{json.dumps(name)}: [\n{steps}\n]")
    path.write_text("{\n" + ",\n".join(stories) + "\n}\n")
    return path
