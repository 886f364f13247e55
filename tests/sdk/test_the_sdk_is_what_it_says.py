"""What `corral.sdk` promises: its names, its types for programs that are checked, and nothing of a terminal."""

import subprocess
import sys
from pathlib import Path

import corral
from corral import sdk

PUBLIC = """
AlreadyExistsError AsyncClient AsyncJob AsyncJobs BugError Client ConflictError CorralError Event Evidence ForbiddenError
Goal InvalidError Job JobFailedError JobLine Jobs LogLine NotFoundError PermanentError Reason RetryError RunOptions
Submission UnauthorizedError UnreachableError
"""

PROGRAM = """
import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import assert_type

from corral.sdk import AsyncClient, AsyncJob, Client, Event, Job, Jobs, LogLine, Reason, Submission


def look(client: Client) -> None:
    assert_type(client.list(everywhere=True), Jobs)
    job = client.get("digits")
    assert_type(job, Job)
    assert_type(job.wait("running", timeout=5).refresh(), Job)
    assert_type(job.logs(follow=True), Iterator[LogLine])
    assert_type(job.events(), list[Event])
    assert_type(job.state, str)
    assert_type(job.why(), Reason)
    assert_type(client.run(look, workers=2, framework="jax", env={"A": "1"}).scale(3), Job)
    assert_type(client.submit(Submission(type="jaxjob", name="x", image="y")), Job)


async def look_again(client: AsyncClient) -> None:
    job = await client.get("digits")
    assert_type(job, AsyncJob)
    assert_type(job.logs(rank=0), AsyncIterator[LogLine])
    async for line in client.logs(job):
        assert_type(line.text, str)


client = Client("embedded", namespace="vision")
with client as same:
    look(same)
asyncio.run(look_again(AsyncClient()))
"""


def test_the_public_names_are_these() -> None:
    assert sdk.__all__ == PUBLIC.split()
    assert [name for name in sdk.__all__ if not getattr(sdk, name).__doc__ and name != "Goal"] == []


def test_a_strictly_typed_program_is_understood(tmp_path: Path) -> None:
    assert (Path(corral.__file__).parent / "py.typed").exists()
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(
        'from corral.sdk import Client\n\nClient().get(7).wait(until="done")\nClient().run(print, wokers=2)\n'
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "program.py"]
    assert _checked(tmp_path, *command) == (0, "")
    status, told = _checked(tmp_path, *command[:-1], "wrong.py")
    assert status == 1
    assert "[arg-type]" in told
    assert "wokers" in told


def _checked(folder: Path, *command: str) -> tuple[int, str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout + done.stderr


def test_nothing_of_a_terminal_or_of_an_http_library_is_loaded() -> None:
    program = (
        "import sys, corral.sdk; print(sorted({'click', 'rich', 'aiohttp', 'uvicorn', 'apsw'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")
