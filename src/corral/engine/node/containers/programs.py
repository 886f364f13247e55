"""Finds the program that a command names, as the container will see it, and says what is missing before anything starts.

A shell would report the same with exit code 127 in a log that nobody reads; here it becomes the reason of the pod.
"""

import os
import stat
from collections.abc import Mapping, Sequence

from corral.engine.node.containers.launch import Mount, StartRefusedError

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MOST_LINKS = 40


def find_program(argv: Sequence[str], env: Mapping[str, str], workdir: str, mounts: Sequence[Mount] = ()) -> str:
    """Returns the absolute path, inside the container, of the program that `argv` names; refuses what cannot run."""
    if not argv or not argv[0]:
        raise StartRefusedError("StartError", "the command is empty")
    for text in (*argv, *env, *env.values()):
        if "\0" in text:
            raise StartRefusedError("StartError", f"the command or its environment contains a NUL byte: {text[:80]!r}")
    path = _located(argv[0], env, workdir, mounts)
    _check_script(path, env, workdir, mounts)
    return path


def seen_at(path: str, mounts: Sequence[Mount]) -> str:
    """Returns where on this machine the thing is that a container sees at `path`; links are followed in its view."""
    wanted, links = os.path.normpath(path), 0
    done = "/"
    parts = [part for part in wanted.split("/") if part]
    while parts:
        step = os.path.join(done, parts.pop(0))
        target = _link(_translated(step, mounts))
        if target is None or links >= _MOST_LINKS:
            done = step
            continue
        links += 1
        whole = os.path.normpath(os.path.join(done, target, *parts))
        done, parts = "/", [part for part in whole.split("/") if part]
    return _translated(done, mounts)


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def _translated(path: str, mounts: Sequence[Mount]) -> str:
    best = max((mount for mount in mounts if _is_below(path, mount.path)), key=lambda m: len(m.path), default=None)
    if best is None:
        return path
    rest = os.path.relpath(path, os.path.normpath(best.path))
    return best.source if rest == "." else os.path.join(best.source, rest)


def _is_below(path: str, folder: str) -> bool:
    folder = os.path.normpath(folder)
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _located(name: str, env: Mapping[str, str], workdir: str, mounts: Sequence[Mount]) -> str:
    if "/" in name:
        path = os.path.join(workdir or "/", name)
        problem = _unusable(path, mounts)
        if problem:
            raise StartRefusedError("StartError", f"cannot run {name!r}: {problem}")
        return path
    search = env.get("PATH", DEFAULT_PATH)
    refused = ""
    for folder in search.split(":"):
        path = os.path.join(workdir or "/", folder, name)
        problem = _unusable(path, mounts)
        if not problem:
            return path
        if problem != _ABSENT:
            refused = refused or f"; {path} {problem}"
    raise StartRefusedError("StartError", f"executable {name!r} is not found in PATH ({search}){refused}")


_ABSENT = "there is no such file"


def _unusable(path: str, mounts: Sequence[Mount]) -> str:
    """Says why a path in the container cannot be executed; empty when it can."""
    place = seen_at(path, mounts) if mounts else path
    try:
        mode = os.stat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _ABSENT
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISDIR(mode):
        return "is a folder"
    if not os.access(place, os.X_OK):
        return "is not executable (hint: chmod +x)"
    return ""


def _check_script(path: str, env: Mapping[str, str], workdir: str, mounts: Sequence[Mount]) -> None:
    try:
        with open(seen_at(path, mounts) if mounts else path, "rb") as file:
            head = file.read(256)
    except OSError:
        # A program may be executable without being readable, and then it is no script.
        return
    if head.startswith(b"#!"):
        _check_interpreter(path, head[2:].split(b"\n")[0], env, workdir, mounts)
    elif b"\0" not in head:
        raise StartRefusedError(
            "StartError", f"cannot run {path!r}: it is neither a program nor a script with a '#!' line"
        )


def _check_interpreter(path: str, line: bytes, env: Mapping[str, str], workdir: str, mounts: Sequence[Mount]) -> None:
    words = [os.fsdecode(word) for word in line.strip(b" \t").split(None, 1)] if not line.endswith(b"\r") else []
    if line.endswith(b"\r"):
        raise StartRefusedError(
            "StartError", f"cannot run {path!r}: its first line ends in a carriage return (Windows)"
        )
    if not words:
        raise StartRefusedError("StartError", f"cannot run {path!r}: its '#!' line names no interpreter")
    problem = _unusable(os.path.join(workdir or "/", words[0]), mounts)
    if problem:
        raise StartRefusedError("StartError", f"cannot run {path!r}: its interpreter {words[0]!r}: {problem}")
    if os.path.basename(words[0]) == "env" and len(words) > 1 and not words[1].startswith("-") and "=" not in words[1]:
        try:
            _located(words[1].strip(), env, workdir, mounts)
        except StartRefusedError as refusal:
            raise StartRefusedError("StartError", f"cannot run {path!r}: its interpreter: {refusal.message}") from None
