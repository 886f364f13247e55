"""A story: what is asked of a server, in order. Stories are data, so that recording and playing cannot differ.

    - story: a stale resourceVersion is refused
      topic: optimistic concurrency
      steps:
      - do: POST /api/v1/namespaces/{ns}/configmaps
        send: {metadata: {name: a}}
        keep: {rv: metadata.resourceVersion}
      - do: PUT /api/v1/namespaces/{ns}/configmaps/a
        send: {metadata: {name: a, resourceVersion: "1"}}

`{ns}` is the story's own namespace, `{id}` its number, `{core}`, `{apps}` and `{batch}` are the paths of these groups in it, and other words
in braces are what earlier steps kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "stories"

SENT = {
    "json": "application/json",
    "yaml": "application/yaml",
    "json patch": "application/json-patch+json",
    "merge patch": "application/merge-patch+json",
    "strategic merge patch": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
"""Short names of the forms in which content is sent."""

TAKEN = {
    "json": "application/json",
    "yaml": "application/yaml",
    "table": "application/json;as=Table;v=v1;g=meta.k8s.io",
    "metadata": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "metadata list": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "aggregated": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
}
"""Short names of the forms in which answers are wanted."""


@dataclass(frozen=True)
class Step:
    """One thing that is done. Exactly one of `do`, `watch`, `kubectl`, `client` and `until` is given."""

    do: str = ""
    """A method and a path."""
    watch: str = ""
    """A path to watch until `events` events have come; bookmarks that nobody asked for are not counted."""
    kubectl: tuple[str, ...] = ()
    """The words after `kubectl`."""
    client: str = ""
    """The name of a call of the official Python client, in `client_calls`."""
    until: str = ""
    """A path to ask for until it answers with `answers` and `has`; for what controllers do in their own time."""
    send: Any = None
    """What is sent: text as it is, anything else as JSON; for kubectl, its standard input."""
    form: str = "json"
    take: str = "json"
    headers: dict[str, str] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)
    show: tuple[str, ...] = ()
    """Paths in the answer to compare, where the whole would depend on timing; empty compares everything."""
    unordered: bool = False
    """Whether a real server tells what is wrong in another order each time, as it does for the entries of a map."""
    events: int = 0
    answers: int = 200
    has: dict[str, Any] = field(default_factory=dict)
    cell: str = ""
    """The cell of the matrix, `verb: option`, that this step stands for."""

    @property
    def title(self) -> str:
        """Returns what the step does, in a line."""
        words = self.do or (self.watch and f"WATCH {self.watch}") or (self.until and f"UNTIL {self.until}")
        return words or (self.client and f"client: {self.client}") or "kubectl " + " ".join(self.kubectl)


@dataclass(frozen=True)
class Story:
    """A sequence of steps in a namespace of its own."""

    name: str
    topic: str
    steps: tuple[Step, ...]
    needs_controllers: bool = False

    @property
    def needs_kubectl(self) -> bool:
        """Says whether any step drives kubectl."""
        return any(step.kubectl for step in self.steps)


def story_of(found: dict[str, Any], topic: str) -> Story:
    """Returns a story from its data."""
    steps = tuple(step_of(step) for step in found["steps"])
    return Story(found["story"], found.get("topic", topic), steps, found.get("needs_controllers", False))


def step_of(found: dict[str, Any]) -> Step:
    """Returns a step from its data; kubectl's words may be one string."""
    given = dict(found)
    words = given.get("kubectl", ())
    given["kubectl"] = tuple(words.split() if isinstance(words, str) else words)
    given["show"] = tuple(given.get("show", ()))
    if "as" in given:
        given["form"] = given.pop("as")
    return Step(**given)


@cache
def written_stories() -> dict[str, tuple[Story, ...]]:
    """Returns the stories that were written by hand, by the name of their file."""
    return {path.stem: tuple(_read(path)) for path in sorted(FOLDER.glob("*.yaml"))}


def _read(path: Path) -> Iterator[Story]:
    for found in yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        yield story_of(found, path.stem.replace("_", " "))
