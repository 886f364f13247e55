"""Finds the program that a command names and says what is missing before anything starts.

A shell would report the same with exit code 127 in a log that nobody reads; here it becomes the reason of the pod. The
messages begin with the words of container runtimes, by which the operator of jobs knows that the command is wrong.
"""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence

from corral.engine.node.containers.launch import StartRefusedError

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ABSENT = "no such file or directory"


def find_program(argv: Sequence[str], env: Mapping[str, str], workdir: str) -> str:
    """Returns the absolute path of the program that `argv` names; refuses what cannot run.

    It looks with the eyes of the calling process: call it where the mounts of the container are seen.
    """
    if not argv or not argv[0]:
        raise StartRefusedError("StartError", "executable file not found: the command is empty")
    path = _located(argv[0], env, workdir or "/")
    _check_script(path, env, workdir or "/")
    return path


def check_texts(texts: Iterable[str]) -> None:
    """Refuses what no argument and no variable can hold."""
    for text in texts:
        if "\0" in text:
            raise StartRefusedError("StartError", f"the command or its environment contains a NUL byte: {text[:80]!r}")
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            message = f"the command or its environment contains half of a character: {text[:80]!r}"
            raise StartRefusedError("StartError", message) from None


def _located(name: str, env: Mapping[str, str], workdir: str) -> str:
    if "/" in name:
        path = os.path.join(workdir, name)
        problem = _unusable(path)
        if problem:
            raise StartRefusedError("StartError", f"cannot run {name!r}: {problem}")
        return path
    search = env.get("PATH", DEFAULT_PATH)
    refused = ""
    for folder in search.split(":"):
        path = os.path.join(workdir, folder, name)
        problem = _unusable(path)
        if not problem:
            return path
        if problem != _ABSENT:
            refused = refused or f"; {path}: {problem}"
    raise StartRefusedError("StartError", f"executable file not found in PATH ({search}): {name!r}{refused}")


def _unusable(path: str) -> str:
    """Says why a path cannot be executed; empty when it can."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _ABSENT
    except OSError as error:
        return f"{(error.strerror or str(error)).lower()}"
    except ValueError:
        return "its name holds a NUL byte"
    if stat.S_ISDIR(mode):
        return "permission denied, it is a folder"
    if not stat.S_ISREG(mode):
        return "permission denied, it is no regular file"
    if not os.access(path, os.X_OK):
        return "permission denied, it is not executable (hint: chmod +x)"
    return ""


def _check_script(path: str, env: Mapping[str, str], workdir: str) -> None:
    try:
        # Without waiting, in case the file has become a pipe since it was looked at.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            head = file.read(256) or b""
    except OSError:
        # A program may be executable without being readable, and then it is no script.
        return
    if head.startswith(b"#!"):
        _check_interpreter(path, head[2:].split(b"\n")[0], env, workdir)
    elif b"\0" not in head:
        message = f"cannot run {path!r}: exec format error, it is neither a program nor a script with a '#!' line"
        raise StartRefusedError("StartError", message)


def _check_interpreter(path: str, line: bytes, env: Mapping[str, str], workdir: str) -> None:
    words = [os.fsdecode(word) for word in line.strip(b" \t").split(None, 1)]
    if line.endswith(b"\r"):
        problem = "exec format error, its first line ends in a carriage return, as on Windows"
    elif not words:
        problem = "exec format error, its '#!' line names no interpreter"
    else:
        problem = _unusable(os.path.join(workdir, words[0]))
        problem = problem and f"its interpreter {words[0]!r}: {problem}"
    if problem:
        raise StartRefusedError("StartError", f"cannot run {path!r}: {problem}")
    if os.path.basename(words[0]) == "env" and len(words) > 1 and not words[1].startswith("-") and "=" not in words[1]:
        try:
            _located(words[1].strip(), env, workdir)
        except StartRefusedError as refusal:
            raise StartRefusedError("StartError", f"cannot run {path!r}: its interpreter: {refusal.message}") from None
