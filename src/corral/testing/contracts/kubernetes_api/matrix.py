"""The matrix: every kind that a real server serves, times its verbs, times the options of each verb.

A story is made for each resource and for each subresource of which there is a sample; what has none must be listed in
`unsupported`. So a cell is played, or listed, and never absent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from corral.testing.contracts.kubernetes_api.discovered import Served, served
from corral.testing.contracts.kubernetes_api.samples import Sample, samples
from corral.testing.contracts.kubernetes_api.story import Step, Story, step_of
from corral.testing.contracts.kubernetes_api.unsupported import reason_for

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Cell:
    """One option of one verb, as a template of a step."""

    verb: str
    option: str
    template: dict[str, Any]


@cache
def cells(subresource: str = "") -> tuple[Cell, ...]:
    """Returns the cells of resources, or of a subresource, in the order in which they are played."""
    if subresource:
        listed = yaml.safe_load((HERE / "subresource_cells.yaml").read_text()).get(subresource, [])
    else:
        listed = yaml.safe_load((HERE / "cells.yaml").read_text())
    made = []
    for found in listed:
        verb, _, option = found["cell"].partition(": ")
        made.append(Cell(verb, option or verb, {k: v for k, v in found.items() if k != "cell"}))
    return tuple(made)


@cache
def matrix_stories() -> dict[str, tuple[Story, ...]]:
    """Returns the stories of the matrix, by file: one for every kind."""
    found: dict[str, list[Story]] = {}
    for resource in served():
        sample = samples().get((resource.api_version, resource.kind_of_object))
        if sample is None or reason_for(resource):
            continue
        steps = _resource_steps(resource, sample) if not resource.subresource else _below_steps(resource, sample)
        file = f"matrix_{resource.plural}_{resource.api_version.replace('/', '_')}".replace(".", "_")
        found.setdefault(file, []).append(Story(f"every verb of {resource.title}", "matrix", tuple(steps)))
    return {file: tuple(stories) for file, stories in found.items()}


def played_cells(resource: Served, sample: Sample) -> list[Cell]:
    """Returns the cells of a resource or subresource but those that its sample leaves out."""
    prefix = f"{resource.subresource}, " if resource.subresource else ""
    every = cells(resource.subresource)
    return [cell for cell in every if f"{prefix}{cell.verb}: {cell.option}" not in sample.left_out]


def _resource_steps(resource: Served, sample: Sample) -> Iterator[Step]:
    for cell in played_cells(resource, sample):
        yield from _steps(resource, sample, cell)


def _below_steps(resource: Served, sample: Sample) -> Iterator[Step]:
    yield from _steps(
        resource, sample, Cell("create", "the object itself", {"do": "POST {all}", "send": "$a", "makes": "a"})
    )
    for cell in played_cells(resource, sample):
        yield from _steps(resource, sample, cell)


def _steps(resource: Served, sample: Sample, cell: Cell) -> Iterator[Step]:
    holes = {letter: sample.name(letter) for letter in "abcd"} | {"absent": sample.name("z")}
    holes |= {"all": resource.collection("{ns}"), "everywhere": resource.collection("")}
    template = dict(cell.template)
    if isinstance(template.get("send"), str) and template["send"].startswith("$"):
        template["send"] = sample.sent(template["send"][1:])
    told = {key: value for key, value in template.items() if key != "makes"}
    yield step_of({**_filled(told, holes), "cell": f"{cell.verb}: {cell.option}"})
    if sample.settled and template.get("makes"):
        letter = template["makes"]
        keep = {"version": "metadata.resourceVersion"} if letter == "a" else {}
        # A real server adds to such an object a moment after it was made.
        yield Step(until=f"{resource.collection('{ns}')}/{sample.name(letter)}", has=sample.settled, keep=keep)


def _filled(value: Any, holes: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in holes.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, list):
        return [_filled(item, holes) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, holes) for key, item in value.items()}
    return value
