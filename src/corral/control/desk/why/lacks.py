"""What a program did not find, as its last words tell: a module, another program, a file; and what brings it. Pure."""

import os.path
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from corral.control.desk.jobs.lines import roles_of
from corral.control.desk.naming.finding import Found
from corral.kinds.objects import Object
from corral.kinds.script_run.script_run import THIS_MACHINE

What = Literal["module", "program", "file"]

_WORDS: Final[tuple[tuple[What, "re.Pattern[str]"], ...]] = (
    ("module", re.compile(r"No module named '?([A-Za-z_][\w.]*)")),
    ("program", re.compile(r"^\S*sh: (?:line )?\d+: ([^\s:]+): (?:command )?not found$")),
    ("file", re.compile(r"can't open file '([^']+)': \[Errno 2\]")),
)
"""How Python and shells say that something is not there."""
_WHO: Final[Mapping[What, str]] = {"module": "its program", "program": "its shell", "file": "its python"}
_PACKAGES: Final = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Packages whose modules have another name."""
_is_python = re.compile(r"python(?:3(?:\.\d+)?)?").fullmatch


class Lack(NamedTuple):
    """One thing that a program did not find."""

    what: What
    name: str

    @property
    def sentence(self) -> str:
        """Returns it in words: `its program found no module torch`."""
        return f"{_WHO[self.what]} found no {self.what} {self.name}"


def lack_told(lines: Iterable[str]) -> Lack | None:
    """Returns what the last of these lines that speaks of such a thing misses, None when none does."""
    for line in reversed(list(lines)):
        for what, pattern in _WORDS:
            if found := pattern.search(line.strip()):
                return Lack(what, found[1])
    return None


def remedies(lack: Lack, job: Found, *, is_here: bool) -> tuple[str, ...]:
    """Returns what helps, the likeliest first; `is_here` says whether pods are processes of this machine."""
    image, command = _container(job.object)
    if lack.what == "file":
        return ("submit it from the folder in which that file is" if is_here else "bring the file along, or mount it",)
    if not is_here:
        return (f"choose an image that has {lack.name}: {image} has not",)
    at = next((at for at, word in enumerate(command) if _is_python(os.path.basename(word))), None)
    if image == THIS_MACHINE and at is not None:
        return _for_a_script(lack, command[at:])
    mapped = f"corral image map {shlex.quote(image)} --python ENVIRONMENT"
    return (f"{mapped}  (an environment that has {lack.name})", f"corral resubmit {job.key.name} --replace")


def _for_a_script(lack: Lack, words: Sequence[str]) -> tuple[str, ...]:
    """Returns what helps a script that was run with an interpreter of this machine."""
    python, *rest = words
    script = next((word for word in rest if word.endswith(".py")), "SCRIPT.py")
    another = f"corral run --python ENVIRONMENT {shlex.quote(script)}  (an environment that has {lack.name})"
    if lack.what != "module":
        return (another,)
    package = lack.name.partition(".")[0]
    return (another, f"{shlex.quote(python)} -m pip install {_PACKAGES.get(package, package)}")


def _container(obj: Object) -> tuple[str, list[str]]:
    """Returns the image and the command of the first container of a job."""
    for role in roles_of(obj):
        for one in (role.template.get("spec") or {}).get("containers") or ():
            return str(one.get("image") or ""), [str(word) for word in one.get("command") or ()]
    return "", []
