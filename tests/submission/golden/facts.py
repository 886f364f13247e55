"""What a command line must become: facts about objects, and the roles of each job type in which they are told.

A fact is (kind, path, value); the value is what must stand there, or a claim about it (`ABSENT`, `Amount`, `Says`, ...).
Names that nobody outside sees, such as those of volumes, are not part of any fact: `Role.mounts` says that whatever is
mounted at a path comes from a source.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.submission.golden.paths import ABSENT, value_at

Fact = tuple[str, str, Any]


class Row(NamedTuple):
    """One command line and everything that must hold for what it becomes."""

    line: str
    facts: tuple[Fact, ...]


class Refusal(NamedTuple):
    """A command line that must be refused, and words that its message or its hint must have."""

    line: str
    words: tuple[str, ...] = ()


class Amount(NamedTuple):
    """A quantity, be it written as a number or as text."""

    text: str

    def holds(self, found: Any, _: Any) -> bool:
        """Whether the quantity is this one."""
        return found is not ABSENT and str(found) == self.text


class Says(NamedTuple):
    """Words of a command: of a container (command and arguments together) or of a list, however deep."""

    words: tuple[str, ...]

    def holds(self, found: Any, _: Any) -> bool:
        """Whether every word stands somewhere among them, alone or as a part of one."""
        if isinstance(found, dict):
            found = [*(found.get("command") or []), *(found.get("args") or [])]
        said = list(_flat(found)) if found is not ABSENT else []
        return all(any(word in one for one in said) for word in self.words)


class Same(NamedTuple):
    """The same value as at another path of the object, where there must be one."""

    path: str

    def holds(self, found: Any, obj: Any) -> bool:
        """Whether both paths lead to the same."""
        return found is not ABSENT and found == value_at(obj, self.path)


class Values(NamedTuple):
    """The values of a mapping, whatever their keys."""

    texts: tuple[str, ...]

    def holds(self, found: Any, _: Any) -> bool:
        """Whether these are all of them."""
        return isinstance(found, dict) and sorted(found.values()) == sorted(self.texts)


class _Empty:
    """Nothing, or an empty text: what the API takes for the same."""

    def holds(self, found: Any, _: Any) -> bool:
        """Whether it is either."""
        return found is ABSENT or found == ""

    def __repr__(self) -> str:
        return "EMPTY"


class _Present:
    """Anything at all."""

    def holds(self, found: Any, _: Any) -> bool:
        """Whether there is something."""
        return found is not ABSENT and found not in ("", None)

    def __repr__(self) -> str:
        return "PRESENT"


EMPTY = _Empty()
PRESENT = _Present()


def is_so(fact: Fact, objects: Iterable[dict[str, Any]]) -> bool:
    """Whether a fact holds for what a command line became."""
    kind, _, value = fact
    obj = next((one for one in objects if one.get("kind") == kind), None)
    if obj is None:
        return value is ABSENT
    found = found_at(fact, [obj])
    return bool(value.holds(found, obj)) if hasattr(value, "holds") else bool(found == value)


def found_at(fact: Fact, objects: Iterable[dict[str, Any]]) -> Any:
    """Returns what stands where a fact looks."""
    kind, path, _ = fact
    obj = next((one for one in objects if one.get("kind") == kind), ABSENT)
    return value_at(obj, path)


class Role(NamedTuple):
    """One role of a kind of job, as a place to tell facts about."""

    kind: str
    map_field: str
    name: str

    @property
    def path(self) -> str:
        """Returns where the role stands in its job."""
        return f"spec.{self.map_field}.{self.name}"

    def has(self, path: str, value: Any) -> Fact:
        """A fact about the replicas: how many, and how they are restarted."""
        return (self.kind, f"{self.path}.{path}", value)

    def gone(self) -> Fact:
        """The job does not have the role."""
        return (self.kind, self.path, ABSENT)

    def template(self, path: str, value: Any) -> Fact:
        """A fact about the labels or annotations of the pods."""
        return self.has(f"template.metadata.{path}", value)

    def pod(self, path: str, value: Any) -> Fact:
        """A fact about the spec of the pods."""
        return self.has(f"template.spec.{path}", value)

    def box(self, path: str, value: Any) -> Fact:
        """A fact about the container that trains."""
        return self.pod(f"containers[0].{path}", value)

    def env(self, name: str, value: Any) -> Fact:
        """A fact about a variable of that container."""
        return self.box(f"env[name={name}].value", value)

    def limit(self, resource: str, amount: str) -> Fact:
        """The container may use so much of a resource."""
        return self.box(f"resources.limits[{resource}]", Amount(amount))

    def request(self, resource: str, amount: str) -> Fact:
        """The container needs so much of a resource."""
        return self.box(f"resources.requests[{resource}]", Amount(amount))

    def unlimited(self, resource: str) -> Fact:
        """The container has no limit of a resource."""
        return self.box(f"resources.limits[{resource}]", ABSENT)

    def mounts(self, source: str, path: str) -> Fact:
        """What the container has at a path is the volume with this source: `persistentVolumeClaim.claimName=x`."""
        volume = f"{self.path}.template.spec.volumes[{source}].name"
        return self.box(f"volumeMounts[mountPath={path}].name", Same(volume))

    def says(self, *words: str) -> Fact:
        """The container runs a command with these words."""
        return self.pod("containers[0]", Says(words))

    def init_says(self, *words: str) -> Fact:
        """Among what the init containers run are these words."""
        return self.pod("initContainers[*].command", Says(words))


class JobType(NamedTuple):
    """A word behind `submit`: the kind of its job, and which roles do what when it has several workers."""

    word: str
    kind: str
    aliases: tuple[str, ...]
    roles: tuple[Role, ...]
    """All roles of `--workers=2`."""
    trains: tuple[Role, ...]
    """Those that hold the GPUs and the data."""
    leads: Role
    """One that runs the command."""

    def job(self, path: str, value: Any) -> Fact:
        """A fact about the job."""
        return (self.kind, path, value)


def _flat(found: Any) -> Iterable[str]:
    if isinstance(found, list):
        for one in found:
            yield from _flat(one)
    else:
        yield str(found)
