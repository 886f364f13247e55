"""The two sides of a copy: a path of this machine, or `JOB[/INSTANCE]:PATH`. Pure."""

import posixpath
import re
from typing import NamedTuple

from corral.errors import PermanentError

_REMOTE = re.compile(r"([a-z0-9][a-z0-9.-]*(?:/[a-z0-9][a-z0-9.-]*){0,2}):(.*)", re.DOTALL | re.IGNORECASE)


class Remote(NamedTuple):
    """A path in a container of a job."""

    job: str
    """As it was typed: a name, or KIND/NAME, perhaps with an instance behind it."""
    path: str


class Sides(NamedTuple):
    """What is copied where; exactly one side is in a job."""

    remote: Remote
    local: str
    is_upload: bool


def sides_of(source: str, target: str) -> Sides:
    """Returns which side is where; a path of this machine with a colon begins with `./` or `/`."""
    there, here = remote_in(source), remote_in(target)
    if (there is None) == (here is None):
        what = "neither of them is in a job" if there is None else "both of them are in jobs"
        hint = "write one of them as JOB:PATH, such as digits:/output/model.pt"
        raise PermanentError("bad-copy", f"{source} cannot be copied to {target}: {what}", hint=hint)
    remote, local = (there, target) if there is not None else (here, source)
    assert remote is not None
    for side, path in (("job", remote.path), ("machine", local)):
        if not path or "\0" in path:
            raise PermanentError(
                "bad-copy", f"the path in the {side} is missing", hint="`JOB:.` is its working directory"
            )
    return Sides(remote, local, is_upload=here is not None)


def remote_in(word: str) -> Remote | None:
    """Returns what a word means in a job, None when it is a path of this machine."""
    found = _REMOTE.fullmatch(word)
    return Remote(found[1], found[2]) if found else None


class Cut(NamedTuple):
    """A path as tar wants it: the folder to stand in, and what to take of it."""

    folder: str
    stem: str

    @property
    def argument(self) -> str:
        """Returns the stem such that no program takes it for an option."""
        return self.stem if self.stem == "." else f"./{self.stem}"


def cut(path: str) -> Cut:
    """Returns folder and name; of a path that ends with `/` or `.` everything that is in it."""
    if path.endswith(("/", "/.", "/..")) or path in (".", ".."):
        return Cut(_no_option(path), ".")
    folder, name = posixpath.split(path)
    return Cut(_no_option(folder or "."), name)


def name_of(path: str) -> str:
    """Returns how a copy is called when only a folder for it is given; "" when its content goes into that folder."""
    name = posixpath.basename(posixpath.normpath(path))
    return "" if path.endswith("/.") or name in ("", ".", "..") else name


def _no_option(path: str) -> str:
    return f"./{path}" if path.startswith("-") else path
