"""Makes an environment for each framework that the examples train with: `python -m tools.frameworks jax mpi ...`.

Frameworks are large and refuse each other's dependencies, so each has an environment of its own outside the checkout,
shared by every checkout of the user: `~/.cache/corral/frameworks/NAME-HASH`. The hash is over the lock file and the
interpreter; a changed lock makes a new folder and leaves the old one to whoever still uses it. The folder of each is
printed on a line of its own. What each is made from is `requirements/frameworks/NAME.in`, resolved by `make lock`.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import environment

LOCKS = Path(environment.ROOT, "requirements", "frameworks")
DONE = ".corral-complete"
LONGEST_BUILD = 45 * 60.0
"""Seconds after which a build is given up; Horovod takes about three minutes on two idle cores."""
BUILD_SETTINGS = {
    "horovod": {
        "HOROVOD_WITH_MXNET": "1",
        "HOROVOD_WITHOUT_PYTORCH": "1",
        "HOROVOD_WITHOUT_TENSORFLOW": "1",
        "HOROVOD_WITH_MPI": "1",
        "HOROVOD_WITHOUT_GLOO": "1",
        "MAKEFLAGS": "-j2",
    },
}
"""The variables with which a framework of `requirements/frameworks/built` is built: which parts it is to have."""


def known() -> list[str]:
    """Returns the names of all frameworks that have a lock file."""
    return sorted(path.stem for path in LOCKS.glob("*.lock"))


def shelf() -> Path:
    """Returns the folder that holds the environments of this user."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(cache, "corral", "frameworks")


def folder_of(name: str, locks: Path = LOCKS) -> Path:
    """Returns where the environment of a framework is, or will be."""
    digest = hashlib.sha256(repr((sys.version_info[:3], sys.base_prefix)).encode())
    digest.update(repr(sorted(BUILD_SETTINGS[name].items())).encode() if name in BUILD_SETTINGS else b"")
    for lock in locks_of(name, locks):
        digest.update(lock.read_bytes())
    return shelf() / f"{name}-{digest.hexdigest()[:12]}"


def locks_of(name: str, locks: Path = LOCKS) -> list[Path]:
    """Returns the lock of a framework and, when there is one, that of what is built from source in its environment."""
    return [lock for lock in (locks / f"{name}.lock", locks / "built" / f"{name}.lock") if lock.exists()]


def missing(name: str) -> str:
    """Returns one line on what this machine lacks to make an environment, or an empty text."""
    if len(locks_of(name)) > 1 and not shutil.which("c++"):
        return f"{name} is built from source, and there is no C++ compiler here (c++)"
    return environment.missing()


def make(name: str, locks: Path = LOCKS) -> Path:
    """Returns the folder of a framework's environment, which is made first unless it is there and complete.

    An environment cannot be moved into place when it is ready, since its scripts name its folder. So a mark is written
    last: a folder without it is left from an interrupted run and is made anew.
    """
    folder = folder_of(name, locks)
    if is_complete(folder):
        return folder
    with alone(folder):
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            environment.create(str(folder))
            first, *built = locks_of(name, locks)
            environment.install(str(folder), str(first), editable=False)
            for lock in built:
                build(folder, lock)
            (folder / DONE).touch()
    return folder


def build(folder: Path, lock: Path) -> None:
    """Builds what is locked from its source, with the compilers and libraries of the environment itself."""
    environment.say(f"building {lock.stem} (once, some minutes)")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [environment.interpreter(str(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-build-isolation", "--no-binary=:all:", "--require-hashes", "-r", str(lock)]
    settings = {**os.environ, "PATH": path, **BUILD_SETTINGS.get(lock.stem, {})}
    environment.run(command, settings, LONGEST_BUILD)


def is_complete(folder: Path) -> bool:
    """Tells whether an environment was made to its end and its Python still starts."""
    return (folder / DONE).exists() and environment.works(str(folder))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Holds back everyone else who would make the same environment; the lock ends with its holder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(names: list[str]) -> int:
    """Makes the environments of the given names, one after the other, and prints their folders."""
    unknown = [name for name in names if name not in known()]
    if unknown or not names:
        sys.stderr.write(f"frameworks: unknown: {' '.join(unknown) or 'no name given'}; known: {' '.join(known())}\n")
        return 2
    for name in names:
        problem = missing(name)
        if problem:
            sys.stderr.write(f"frameworks: {problem}\n")
            return 1
        print(make(name), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        environment.say("interrupted; the same command tries again")
        sys.exit(130)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.exit("frameworks: failed: " + " ".join(str(word) for word in error.cmd))
