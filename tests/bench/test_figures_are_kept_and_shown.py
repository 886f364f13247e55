"""Figures of several runs stand in one file, each with its day and machine, and the plot is a whole picture."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.bench.kept import merged
from tools.bench.node.gates import Section
from tools.bench.node.plot import plotted, rounded_up
from tools.bench.node.report import lines, written
from tools.bench.placement.gangs_tables import with_earlier

ROOT = Path(__file__).parents[2]
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


def test_figures_of_another_machine_keep_their_machine() -> None:
    """A new build of the kernel is enough to be another one, and erased all that was not measured again."""
    first = merged({}, {"other": {"kept": True}}, THERE)
    second = merged(first, {"servers": {"rows": []}}, HERE)["measures"]
    assert {name: one["machine"] for name, one in second.items()} == {"other": THERE, "servers": HERE}


def test_a_machine_that_was_told_for_the_whole_file_is_that_of_each_measure() -> None:
    earlier = {"machine": THERE, "measures": {"other": {"kept": True}}}
    assert merged(earlier, {}, HERE)["measures"] == {"other": {"kept": True, "machine": THERE}}


def test_a_part_that_is_measured_alone_leaves_the_tables_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "node.json"
    there = {"processors": 64, "model": "M", "memory_gb": 1.0, "system": "an older kernel"}
    file.write_text(json.dumps({"machine": there, "measures": {"servers": {**SERVERS, "gates": []}}}))
    rest = {
        "cpu_percent": 0.1,
        "memory_mb": 90.0,
        "cpu_percent_of_parts": {"api": 0.1},
        "memory_mb_of_parts": {"api": 90.0},
    }
    section = {"date": "2026-11-19", "load_before": 0, "load_after": 0, "seconds": 60.0, "states": {"nothing": rest}}
    written(file, {"rest": section})
    text = file.with_suffix(".md").read_text()
    assert "**servers**, 2026-11-18" in text
    assert "64 processors (M), 1 GB, an older kernel" in text
    assert "**rest**, 2026-11-19" in text
    assert "2026-11-18, 64 processors" in (tmp_path / "parameter-servers.svg").read_text()


def test_cases_of_gangs_that_are_not_played_again_keep_their_day() -> None:
    earlier = {
        "machine": THERE,
        "gangs": {"date": "2026-11-18", "load_before": 3, "cases": [{"case": "a"}, {"case": "b"}]},
    }
    section = {"date": "2026-11-19", "load_before": 1, "cases": [{"case": "b"}]}
    found = {one["case"]: (one["date"], one["machine"]) for one in with_earlier(earlier, section, HERE)["cases"]}
    assert found == {"a": ("2026-11-18", THERE), "b": ("2026-11-19", HERE)}


def test_all_parts_are_measured_whatever_the_first_ones_miss(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\necho "$2" >> {tmp_path}/asked\n[ "$2" != tools.bench ]\n')
    python.chmod(0o755)
    made = subprocess.run(
        ["make", "bench", f"DEV={tmp_path}", "PYTHON=true"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    asked = (tmp_path / "asked").read_text().split()
    assert made.returncode != 0
    assert "missed or incomplete: tools.bench\n" in made.stderr
    assert {"tools.bench", "tools.bench.node", "tools.bench.cli", "tools.bench.scheduling"} <= set(asked)


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
