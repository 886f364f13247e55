"""Progress: what jobs print becomes a report, whatever they print."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.training.progress_pattern import fault_in
from corral.kinds.training.run_policy import ProgressPolicy, StopWhen
from corral.reconcile.training.progress import (
    LONGEST_LINE,
    MOST_METRICS,
    report_in_annotation,
    report_in_status,
    report_of,
    target_reached,
)
from corral.reconcile.training.world import Report
from tests.domain.reconcile.training.running_jobs import NOW

DEFAULT = ProgressPolicy()

LINES: dict[str, tuple[str, int | None, int | None, dict[str, float]]] = {
    "one JSON line": ('{"step": 120, "total": 1000, "accuracy": 0.91}', 120, 1000, {"accuracy": 0.91}),
    "JSON under progress": ('{"level": 3, "progress": {"step": 1, "loss": 2}}', 1, None, {"loss": 2.0}),
    "JSON with other names": ('{"global_step": 7, "total_steps": 9}', 7, 9, {}),
    "JSON with NaN": ('{"step": 5, "loss": NaN, "accuracy": 0.5}', 5, None, {"accuracy": 0.5}),
    "JSON with whole floats": ('{"step": 5.0, "total": 10.0}', 5, 10, {}),
    "JSON of another purpose": ('{"level": "info", "time": 12345, "status": 200}', None, None, {}),
    "JSON with nonsense": ('{"step": true, "total": -4, "loss": [1], "epoch": null}', None, None, {}),
    "JSON cut off": ('{"step": 120, "total": 10', None, None, {}),
    "a list": ("[1, 2]", None, None, {}),
    "plain words": ("step 120/1000 loss=0.31 accuracy=0.91", 120, 1000, {"loss": 0.31, "accuracy": 0.91}),
    "words of an estimator": ("INFO:tensorflow:loss = 1.5e-3, step = 100", 100, None, {"loss": 0.0015}),
    "words with colons": ("[rank 0] Step: 3 of 10, lr: 1e-4, val/acc: .5", 3, 10, {"lr": 0.0001, "val/acc": 0.5}),
    "a total of nothing": ("step 3/0", 3, None, {}),
    "no step": ("epoch 3 loss=0.3", None, None, {}),
    "a setting": ("warmup_steps=100 max_steps=1000", None, None, {}),
    "a clock is no metric": ("step 1 time: 10:00:01 loss=2", 1, None, {"loss": 2.0}),
    "empty": ("", None, None, {}),
}


@pytest.mark.parametrize("name", LINES)
def test_default_formats_are_read(name: str) -> None:
    line, step, total, metrics = LINES[name]
    found = report_of([line], DEFAULT, None, NOW)
    assert (found.step, found.total, found.metrics) == (step, total, metrics)


def test_the_last_line_counts_and_metrics_stay() -> None:
    lines = ["step 1/10 loss=3", "noise", "step 2/10", "step 3 accuracy=0.5"]
    assert report_of(lines, DEFAULT, None, NOW) == Report(3, 10, {"loss": 3.0, "accuracy": 0.5}, NOW)


def test_a_step_is_dated_by_its_first_sight() -> None:
    first = report_of(["step 1 loss=3"], DEFAULT, None, NOW)
    same = report_of(["step 1 loss=2"], DEFAULT, first, NOW + 10)
    assert (same.since, same.metrics) == (NOW, {"loss": 2.0})
    assert report_of(["nothing new"], DEFAULT, same, NOW + 20) is same
    assert report_of(["step 2"], DEFAULT, same, NOW + 30).since == NOW + 30


def test_a_new_attempt_may_go_back_to_an_earlier_step() -> None:
    before = Report(100, 1000, {}, NOW - 50)
    assert report_of(["step 80/1000"], DEFAULT, before, NOW) == Report(80, 1000, {}, NOW)


def test_jobs_without_steps_make_progress_by_their_metrics() -> None:
    policy = ProgressPolicy(pattern=r"acc (?P<accuracy>\S+)")
    first = report_of(["acc 0.1"], policy, None, NOW)
    assert report_of(["acc 0.1"], policy, first, NOW + 10).since == NOW
    assert report_of(["acc 0.2"], policy, first, NOW + 20).since == NOW + 20


def test_a_pattern_replaces_the_default_formats() -> None:
    policy = ProgressPolicy(pattern=r"(?P<step>\d+)/(?P<total>\d+) \[.* loss=(?P<loss>[\d.]+)")
    tqdm = " 12%|█▏        | 120/1000 [00:10<01:20, 10.97it/s, loss=0.31]"
    assert report_of([tqdm, '{"step": 999}'], policy, None, NOW) == Report(120, 1000, {"loss": 0.31}, NOW)


def test_groups_that_find_no_number_are_left_out() -> None:
    policy = ProgressPolicy(pattern=r"(?P<step>\w+) (?P<loss>\S+)( (?P<more>\d+))?")
    assert report_of(["seven nan"], policy, None, NOW) == Report()


FAULTS = {
    "(": "is no RE2 expression: missing ): (",
    r"(?P<step>\d+)(?=x)": "is no RE2 expression: invalid perl operator: (?=",
    r"step \d+": "must have a group named step, total or a metric, such as (?P<step>[0-9]+)",
    "(?P<step>" + "x" * 1000 + ")": "must be no longer than 1000 characters",
    "".join(f"(?P<m{n}>x)" for n in range(21)): "must have no more than 20 named groups",
    "(?P<step>((a{1,9}){1,9}){1,9})": "",
    r"(?P<step>\d+)": "",
}


@pytest.mark.parametrize("pattern", FAULTS)
def test_patterns_are_checked(pattern: str) -> None:
    assert fault_in(pattern) == FAULTS[pattern]


def test_a_pattern_that_slipped_through_falls_back_to_the_defaults() -> None:
    assert report_of(["step 3"], ProgressPolicy(pattern="("), None, NOW).step == 3


def test_annotations_are_read_without_a_pattern() -> None:
    assert report_in_annotation('{"step": 3, "loss": 1}', None, NOW) == Report(3, None, {"loss": 1.0}, NOW)
    assert report_in_annotation('{"progress": {"accuracy": 0.9}}', None, NOW) == Report(
        metrics={"accuracy": 0.9}, since=NOW
    )
    assert report_in_annotation('{"accuracy": 0.9}', None, NOW) == Report(metrics={"accuracy": 0.9}, since=NOW)
    for nothing in ("", "{}", "[1]", "step 3", '{"step": "many"}', "{" * 20_000):
        assert report_in_annotation(nothing, None, NOW) is None


def test_the_status_remembers_since_when_a_step_lasts() -> None:
    assert report_in_status(None) is None


def test_a_target_is_reached_from_the_right_side() -> None:
    def reached(goal: str, value: float) -> bool:
        policy = ProgressPolicy(stop_when=StopWhen(metric="m", reaches=0.9, goal=goal))
        return target_reached(policy, Report(metrics={"m": value}))

    assert [reached("", 0.89), reached("", 0.9), reached("maximize", 0.91)] == [False, True, True]
    assert [reached("minimize", 0.91), reached("minimize", 0.9), reached("Minimize", 0.1)] == [False, True, True]
    policy = ProgressPolicy(stop_when=StopWhen(metric="m", reaches=0.9))
    assert not target_reached(policy, None)
    assert not target_reached(policy, Report(metrics={"other": 1.0}))
    assert not target_reached(DEFAULT, Report(metrics={"m": 1.0}))
    assert not target_reached(None, Report())


# --- whatever they print ---


def test_a_line_of_ten_megabytes_is_cut() -> None:
    huge = "x" * 10_000_000
    began = time.monotonic()
    found = report_of(
        [f"step 1 loss=2 {huge}", huge, '{"step": 2, "pad": "' + huge + '"}', "step 3"], DEFAULT, None, NOW
    )
    assert (found.step, found.metrics) == (3, {"loss": 2.0})
    assert time.monotonic() - began < 2.0


@pytest.mark.parametrize(
    "poison", ["a" * LONGEST_LINE, "a=" * 8000, "1" * LONGEST_LINE, " " * LONGEST_LINE, "a/" * 8000]
)
def test_no_line_stalls_the_default_reader(poison: str) -> None:
    began = time.monotonic()
    report_of([f"step 1 {poison}", f"{poison} step 1", "step" + poison], DEFAULT, None, NOW)
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize("pattern", [r"(?P<step>(x+x+)+y)", r"(?P<step>(x|xx)+)+$", r"(?P<step>(.*)*)*z"])
def test_catastrophic_patterns_are_harmless(pattern: str) -> None:
    began = time.monotonic()
    assert report_of(["x" * LONGEST_LINE] * 10, ProgressPolicy(pattern=pattern), None, NOW).step is None
    assert time.monotonic() - began < 2.0


def test_metrics_are_bounded() -> None:
    lines = [json.dumps({"step": n, f"m{n}": 1, "x" * 200: 1, "a\nb": 1}) for n in range(1000)]
    found = report_of(lines, DEFAULT, None, NOW)
    assert (found.step, len(found.metrics)) == (999, MOST_METRICS)


def test_deep_json_is_no_trouble() -> None:
    assert (
        report_of(['{"a":' * 3000 + "1" + "}" * 3000, '{"step": ' + "9" * 5000 + "}"], DEFAULT, None, NOW).step is None
    )


@given(st.lists(st.binary(max_size=200)), st.sampled_from(["", r"(?P<step>.*)", r"(?P<é>\d)", r"(?P<loss>.)+"]))
def test_any_bytes_are_read(lines: list[bytes], pattern: str) -> None:
    found = report_of([line.decode(errors="replace") for line in lines], ProgressPolicy(pattern=pattern), None, NOW)
    assert found.step is None or found.step >= 0


@given(st.lists(st.text(st.characters(), max_size=100)), st.sampled_from(["", r"(?P<step>\S*)"]))
def test_any_text_is_read(lines: list[str], pattern: str) -> None:
    report_of([*lines, *(f"step 1 {line}" for line in lines)], ProgressPolicy(pattern=pattern), None, NOW)
    for line in lines:
        report_in_annotation(line, None, NOW)


said = (
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20) | st.lists(st.integers(), max_size=3)
)
keys = st.sampled_from(["step", "total", "progress", "loss", "global_step"]) | st.text()


@given(st.dictionaries(keys, said | st.dictionaries(keys, said, max_size=3), max_size=5))
def test_any_json_is_read(spoken: dict[str, object]) -> None:
    found = report_of([json.dumps(spoken)], DEFAULT, None, NOW)
    assert all(isinstance(value, float) and value == value for value in found.metrics.values())
    json.dumps(found.metrics, allow_nan=False)
