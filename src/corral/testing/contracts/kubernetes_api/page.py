"""The page that says what is conformant, what is not served, and what differs on purpose. Pure; tests hold it current."""

from collections.abc import Iterator

from corral.testing.contracts.kubernetes_api.differences import differences
from corral.testing.contracts.kubernetes_api.discovered import Served, served
from corral.testing.contracts.kubernetes_api.matrix import cells, matrix_stories, played_cells
from corral.testing.contracts.kubernetes_api.samples import Sample, samples
from corral.testing.contracts.kubernetes_api.story import written_stories
from corral.testing.contracts.kubernetes_api.suite import stories
from corral.testing.contracts.kubernetes_api.unsupported import reason_for

VERBS = ("create", "get", "list", "watch", "update", "patch", "delete", "deletecollection")

_INTRODUCTION = """\
The embedded API server is compared, answer by answer, with a real kube-apiserver v1.34.2. {stories} stories with {steps}
steps are played to both; what the real one answered is recorded, and a test holds both servers to the recording. Only
uids, resourceVersions, times, generated names and addresses are masked; status codes, headers, warnings, messages and
every field of every object have to be equal.

What a real server serves is taken from its own discovery. A cell of that matrix (kind, verb, option) is *passed* (the
number of its options stands in the table), or it is *listed* below with a reason. None is absent.
"""


def conformance_page() -> str:
    """Returns the page as Markdown."""
    every = [story for group in stories().values() for story in group]
    count = {"stories": len(every), "steps": sum(len(story.steps) for story in every)}
    parts = ["# Conformance\n", _INTRODUCTION.format(**count)]
    parts += ["## Kinds and verbs\n", "\n".join(_matrix()) + "\n"]
    parts += ["## Subresources\n", "\n".join(_subresources()) + "\n"]
    parts += ["## Options of each verb\n", "\n".join(_options()) + "\n"]
    parts += ["## Cells that are not played\n", "\n".join(_left_out()) + "\n"]
    parts += ["## Not served\n", _NOT_SERVED, "\n".join(_unsupported()) + "\n"]
    parts += ["## Deliberate differences\n", _DIFFERENCES, "\n".join(_differences()) + "\n"]
    parts += ["## Stories beside the matrix\n", "\n".join(_stories())]
    return "\n".join(parts) + "\n"


_NOT_SERVED = "A request for any of these is answered with a Status of reason NotFound, which a test holds.\n"
_DIFFERENCES = "Everything else that differs is a bug. A difference that no longer shows fails the tests.\n"


def _matrix() -> Iterator[str]:
    yield "| resource | " + " | ".join(VERBS) + " |"
    yield "|---|" + "---|" * len(VERBS)
    for resource in served():
        if resource.subresource or reason_for(resource):
            continue
        yield f"| {resource.title} | " + " | ".join(_cell(resource, verb) for verb in VERBS) + " |"


def _cell(resource: Served, verb: str) -> str:
    if verb not in resource.verbs:
        return "not in discovery"
    passed = [cell for cell in played_cells(resource, _sample(resource)) if cell.verb == verb]
    return f"{len(passed)} passed" if passed else "listed below"


def _sample(resource: Served) -> Sample:
    return samples()[(resource.api_version, resource.kind_of_object)]


def _subresources() -> Iterator[str]:
    yield "| subresource | options passed |"
    yield "|---|---|"
    for resource in served():
        if resource.subresource and not reason_for(resource):
            options = [f"{cell.verb}: {cell.option}" for cell in played_cells(resource, _sample(resource))]
            yield f"| {resource.title} | {'; '.join(options)} |"


def _options() -> Iterator[str]:
    for verb in VERBS:
        options = [cell.option for cell in cells() if cell.verb == verb]
        yield f"- **{verb}**: {'; '.join(options)}"


def _left_out() -> Iterator[str]:
    for (version, kind), sample in samples().items():
        for cell, reason in sample.left_out.items():
            yield f"- {kind} of {version}, {cell}: {reason}"


def _unsupported() -> Iterator[str]:
    yield "| resource | verbs of a real server | reason |"
    yield "|---|---|---|"
    for resource in served():
        if reason := reason_for(resource):
            yield f"| {resource.title} | {', '.join(resource.verbs)} | {reason} |"


def _differences() -> Iterator[str]:
    for each in differences():
        where = "everywhere" if each.stories == ("*",) else "in " + "; ".join(f"*{name}*" for name in each.stories)
        yield f"- {each.reason} ({where}, at {', '.join(f'`{path}`' for path in each.paths)})"


def _stories() -> Iterator[str]:
    for group in written_stories().values():
        yield f"### {group[0].topic}\n"
        for story in group:
            notes = [f"{len(story.steps)} steps"]
            notes += ["with controllers"] if story.needs_controllers else []
            notes += ["by kubectl"] if story.needs_kubectl else []
            yield f"- {story.name} ({', '.join(notes)})"
        yield ""


def absent_cells() -> list[str]:
    """Returns what the real server serves and this suite neither plays nor lists; it has to be empty."""
    played = {story.name.removeprefix("every verb of ") for group in matrix_stories().values() for story in group}
    return [resource.title for resource in served() if not reason_for(resource) and resource.title not in played]
