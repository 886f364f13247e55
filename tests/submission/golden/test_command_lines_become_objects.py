"""Every flag of Arena's `submit`, typed as people type it, and what must stand in the objects.

The tables beside this file were written from Arena's documented flags and Kubeflow's v1 contract before there was code,
and are never recorded from an output. Nothing is sent: a line that opens a connection fails.
"""

import json
import shlex
from typing import Any

import pytest

from corral.surfaces.cli.main import run
from tests.submission.golden import deepspeedjob, etjob, horovodjob, mpijob, pytorchjob, tfjob
from tests.submission.golden.arena_flags import arena_flags
from tests.submission.golden.facts import Refusal, Row, found_at, is_so
from tests.submission.golden.job_types import JOB_TYPES
from tests.submission.golden.refusals import REFUSALS
from tests.submission.golden.shared_flags import shared_rows

TABLES = (tfjob, pytorchjob, mpijob, horovodjob, etjob, deepspeedjob)
ROWS: dict[str, Row] = shared_rows() | {
    f"{table.__name__.rpartition('.')[2]}: {key} (own)": row for table in TABLES for key, row in table.ROWS.items()
}
CLIENT = ["--dry-run=client", "-o", "json"]


@pytest.mark.parametrize("key", ROWS)
def test_a_line_becomes_its_objects(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = ROWS[key]
    status = run(_typed(row.line, CLIENT))
    said = capsys.readouterr()
    assert status == 0, f"{row.line}\n{said.err}"
    objects = _objects(said.out)
    wrong = [
        f"{fact[0]} {fact[1]}: {fact[2]!r} is due, there is {found_at(fact, objects)!r}"
        for fact in row.facts
        if not is_so(fact, objects)
    ]
    assert not wrong, "\n".join([row.line, *wrong])


@pytest.mark.parametrize("key", REFUSALS)
def test_a_line_is_refused_in_one_line(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    refusal: Refusal = REFUSALS[key]
    status = run(_typed(refusal.line, CLIENT[:1]))
    said = capsys.readouterr()
    assert (status, said.out) == (2, ""), f"{refusal.line}\n{said.err}"
    lines = said.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", *["hint"] * (len(lines) - 1)], said.err
    assert all(word in said.err for word in refusal.words), f"{refusal.words} in {said.err}"


def test_every_flag_and_every_word_for_a_type_is_typed_somewhere() -> None:
    lines = [row.line for row in ROWS.values()] + [refusal.line for refusal in REFUSALS.values()]
    known = {word: job.word for job in JOB_TYPES for word in (job.word, *job.aliases)}
    typed = {(known[word], flag) for line in lines for word, flag in _flags(line) if word in known}
    assert arena_flags() - typed == set()
    assert set(known) == {word for line in lines for word, _ in _flags(line)} & set(known)
    assert len({row.line for row in ROWS.values()}) >= 150


def test_both_forms_of_a_value_are_typed() -> None:
    words = [word for row in ROWS.values() for word in shlex.split(row.line)]
    assert any(word.startswith("--workers=") for word in words)
    assert any(word == "--env" for word in words)


def _typed(line: str, more: list[str]) -> list[str]:
    """Returns the words of a line with `arena` left out; what is added stands before words that belong to the command."""
    words = shlex.split(line)[1:]
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *more, *words[end:]]


def _flags(line: str) -> list[tuple[str, str]]:
    words = shlex.split(line)
    kind = words[words.index("submit") + 1]
    own = words[: words.index("--")] if "--" in words else words
    return [(kind, word.partition("=")[0]) for word in own if word.startswith("-")]


def _objects(text: str) -> list[dict[str, Any]]:
    whole = json.loads(text)
    return whole["items"] if whole["kind"] == "List" else [whole]
