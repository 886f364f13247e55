"""Every golden line of `submit`, typed behind `cron`: the job becomes the template, and the operator finds nothing wrong with it."""

import json
import shlex
from typing import Any

import pytest

from corral.kinds.cron.examination import errors_of
from corral.kinds.objects import Object
from corral.surfaces.cli.main import run
from tests.submission.golden.test_command_lines_become_objects import ROWS

SCHEDULE = ["--schedule", "0 22 * * *", "--concurrency-policy=Forbid", "--history-limit=3"]
CLIENT = ["--dry-run=client", "-o", "json"]


@pytest.mark.parametrize("key", ROWS)
def test_a_line_makes_a_cron_of_the_same_job(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(ROWS[key].line)[1:]
    job, *others = _objects(words, CLIENT, capsys)
    words[words.index("submit")] = "cron"
    cron, *belonging = _objects(words, [*SCHEDULE, *CLIENT], capsys)
    assert cron["kind"] == "Cron"
    assert (cron["spec"]["schedule"], cron["spec"]["historyLimit"]) == ("0 22 * * *", 3)
    place = job["metadata"].pop("namespace", None)
    assert (cron["metadata"].get("namespace"), cron["spec"]["template"]) == (place, job)
    assert [one["metadata"] for one in belonging] == [one["metadata"] for one in others]
    cron["metadata"]["namespace"] = place or "default"
    assert [str(error) for error in errors_of(cron)] == []


def _objects(words: list[str], more: list[str], capsys: pytest.CaptureFixture[str]) -> list[Object]:
    end = words.index("--") if "--" in words else len(words)
    status = run([*words[:end], *more, *words[end:]])
    said = capsys.readouterr()
    assert status == 0, f"{words}\n{said.err}"
    whole: Any = json.loads(said.out)
    return list(whole["items"]) if whole["kind"] == "List" else [whole]
