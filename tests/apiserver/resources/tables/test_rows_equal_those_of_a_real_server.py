"""Rows.json holds objects in many states with the Tables that a real kube-apiserver printed for them."""

import json
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver.resources.autoscaler_v1 import as_v1
from corral.engine.apiserver.resources.events import as_new_event
from corral.engine.apiserver.resources.tables import printer_for, table

TABLES = json.loads((Path(__file__).parent / "rows.json").read_text())


def printed(recorded: dict[str, Any], objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns our Table of the objects, at the time of the recording."""
    group = recorded["kind"].split("/")[0] if recorded["kind"].count("/") == 2 else ""
    return table(printer_for(group, objects[0]["kind"]), objects, {}, "None", recorded["now"])


@pytest.mark.parametrize("recorded", TABLES, ids=[each["kind"] for each in TABLES])
def test_columns_are_the_same(recorded: dict[str, Any]) -> None:
    ours = printed(recorded, [row["object"] for row in recorded["rows"]])
    got = [
        {key: value for key, value in column.items() if key != "description"} for column in ours["columnDefinitions"]
    ]
    assert got == recorded["columns"]


@pytest.mark.parametrize("recorded", TABLES, ids=[each["kind"] for each in TABLES])
def test_cells_and_conditions_are_the_same(recorded: dict[str, Any]) -> None:
    ours = printed(recorded, [row["object"] for row in recorded["rows"]])
    for got, want in zip(ours["rows"], recorded["rows"], strict=True):
        assert (got["cells"], got.get("conditions")) == (want["cells"], want.get("conditions"))


def test_new_events_have_the_rows_of_old_ones() -> None:
    (recorded,) = (each for each in TABLES if each["kind"] == "v1/events")
    ours = printed(recorded, [as_new_event(row["object"]) for row in recorded["rows"]])
    assert [row["cells"] for row in ours["rows"]] == [row["cells"] for row in recorded["rows"]]


def test_old_autoscalers_have_the_rows_of_new_ones() -> None:
    (recorded,) = (each for each in TABLES if each["kind"].startswith("autoscaling/v2"))
    # Version 1 moves processor time behind the other metrics, which shows where there are several.
    rows = [row for row in recorded["rows"] if row["object"]["metadata"]["name"] != "three"]
    ours = printed(recorded, [as_v1(row["object"]) for row in rows])
    assert [row["cells"] for row in ours["rows"]] == [row["cells"] for row in rows]
