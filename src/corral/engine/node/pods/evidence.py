"""How a run ended, with the evidence: exit code, memory, and the last words of the container where it wants them told."""

import os

from corral.engine.node.containers.ending import ending_of
from corral.engine.node.containers.memory_limits import oom_evidence
from corral.engine.node.containers.record import KILLED, Ending, Run
from corral.engine.node.containers.termination_message import message_of
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.pods.sight import RunSight
from corral.engine.small_files import NoPlainFileError, open_plain
from corral.kinds.objects import Object

LAST_WORDS = 2048
"""Bytes of the log that become the message of a container that failed and asked for it, as in kubelet."""


def how_it_ended(run: Run, number: int, container: Object, log: RunLog) -> RunSight:
    """Returns the run as one that has ended."""
    ending = ending_of(run) or Ending(KILLED, run.started_at)
    reason, message = _reason(run, ending)
    message = "\n".join(text for text in (message, message_of(run.folder)) if text)
    if not message and ending.exit_code and container.get("terminationMessagePolicy") == "FallbackToLogsOnError":
        message = last_words(log.path)
    return RunSight(number, run.started_at, ending.finished_at, ending.exit_code, reason, message, run.streak)


def _reason(run: Run, ending: Ending) -> tuple[str, str]:
    if ending.message:
        return "StartError", ending.message
    if ending.exit_code == 0:
        return "Completed", ""
    starved = oom_evidence(run)
    return ("OOMKilled", starved) if starved else ("Error", "")


def last_words(path: str) -> str:
    """Returns the end of a log as text."""
    try:
        with open(open_plain(path), "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - LAST_WORDS))
            return file.read().decode("utf-8", "replace")
    except (FileNotFoundError, NoPlainFileError):
        return ""
