"""Figures of several runs stand in one file, as long as they are of one machine, and the plot is a whole picture."""

from xml.etree import ElementTree

import pytest

from tools.bench.node.gates import Section
from tools.bench.node.plot import plotted, rounded_up
from tools.bench.node.report import lines, merged

HERE, THERE = {"processors": 2}, {"processors": 64}
ROWS: list[Section] = [
    {"mode": mode, "workers": workers, "samples_per_second": 900.0 * workers, "accuracy": 0.9 + workers / 100}
    for mode in ("async", "sync")
    for workers in (1, 2, 3, 4)
]
SERVERS: Section = {"date": "2026-11-18", "load_before": 1, "load_after": 2, "steps": 3000, "rows": ROWS}


def test_a_later_run_replaces_only_what_it_measured() -> None:
    first = merged({}, {"servers": {"rows": [1]}, "other": {"kept": True}}, HERE)
    second = merged(first, {"servers": {"rows": [2]}}, HERE)
    assert second["measures"]["servers"]["rows"] == [2]
    assert second["measures"]["other"]["kept"] is True


def test_figures_of_another_machine_are_forgotten() -> None:
    first = merged({}, {"other": {"kept": True}}, THERE)
    assert list(merged(first, {"servers": {"rows": []}}, HERE)["measures"]) == ["servers"]


def test_the_table_has_a_row_for_each_mode_and_number_of_workers() -> None:
    table = list(lines("servers", SERVERS))
    assert "| sync | 4 | 3,600 | 0.940 |" in table
    assert len([line for line in table if line.startswith(("| sync", "| async"))]) == len(ROWS)


def test_the_plot_is_xml_with_two_curves_in_two_panels() -> None:
    picture = ElementTree.fromstring(plotted(ROWS, "2 processors <quiet> & cheap"))
    names = [element.tag.rpartition("}")[2] for element in picture.iter()]
    assert names.count("polyline") == 4
    assert names.count("title") == 4 * 4
    assert any(element.text == "2 processors <quiet> & cheap" for element in picture.iter())


@pytest.mark.parametrize(("value", "want"), [(0.0, 1.0), (2.6, 3.0), (1774.0, 2000.0), (5000.0, 5000.0), (82e3, 1e5)])
def test_the_scale_ends_at_a_round_number(value: float, want: float) -> None:
    assert rounded_up(value) == want
