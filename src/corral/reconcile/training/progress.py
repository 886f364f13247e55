"""How far a job is, from what it prints: lines become a report, and a report becomes `status.progress`.

Three ways of printing are understood without any setting. One JSON object on a line of its own, with the key `step`, or
with such an object under the key `progress`:

    {"step": 120, "total": 1000, "accuracy": 0.91}
    {"time": "10:00:01", "progress": {"step": 120, "total": 1000, "loss": 0.31}}

and plain words, in which `name=value` or `name: value` is a metric:

    step 120/1000 loss=0.31 accuracy=0.91

Other formats are read by the pattern that a job gives in `runPolicy.progress.pattern`. Lines come from user programs:
whatever they hold, reading them takes bounded time and memory and never raises.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import asdict

from corral.kinds.training.progress_pattern import LONGEST_NAME, PatternError, ProgressPattern, progress_pattern
from corral.kinds.training.run_policy import ProgressPolicy
from corral.kinds.training.status import Progress
from corral.reconcile.moments import seconds_of, stamp_of
from corral.reconcile.training.world import Report

LONGEST_LINE = 16 * 1024
MOST_METRICS = 20
WRITE_EVERY = 10.0
"""Seconds between two writes of progress; a quick job would otherwise keep the API server busy."""

_LARGEST = 2**53
_HALF_LIFE = 60.0
"""Seconds after which an observed speed counts half."""
_STEP_KEYS, _TOTAL_KEYS = ("step", "global_step"), ("total", "total_steps")
_STEP = re.compile(r"(?i)\b(?:global_)?step\b\s{0,3}[:=]?\s{0,3}(\d{1,16})(?:\s{0,3}(?:/|\bof\b)\s{0,3}(\d{1,16}))?")
_METRIC = re.compile(
    r"(?<![\w./-])([A-Za-z_][\w./-]{0,62})\s{0,3}[:=]\s{0,3}([-+]?(?:\d{1,20}\.?\d{0,30}|\.\d{1,30})(?:[eE][-+]?\d{1,3})?)(?![\w:])"
)

Found = Mapping[str, Any]
"""What one line says: `step`, `total` and metrics, not yet checked."""


def report_of(lines: Iterable[str], policy: ProgressPolicy | None, previous: Report | None, now: float) -> Report:
    """Returns the report after these lines, oldest first; without news it is the previous one."""
    pattern = _pattern(policy)
    return _after((_read(line[:LONGEST_LINE], pattern) for line in lines), previous, now)


def report_in_annotation(text: str, previous: Report | None, now: float) -> Report | None:
    """Returns the report after a JSON object that a pod carries, None when it tells nothing; no pattern applies to it."""
    said = _json_object(text[:LONGEST_LINE].strip())
    inner = said.get("progress")
    found = inner if isinstance(inner, dict) else said
    return _after([found], previous, now) if any(_number(value) is not None for value in found.values()) else None


def _after(news: Iterable[Found], previous: Report | None, now: float) -> Report:
    before = previous or Report()
    step, total, metrics = before.step, before.total, dict(before.metrics)
    for found in news:
        step = _whole(found, _STEP_KEYS, step)
        total = _whole(found, _TOTAL_KEYS, total) or None
        _take_metrics(metrics, found)
    same = step == before.step if step is not None else metrics == before.metrics
    if same and total == before.total and metrics == before.metrics:
        return before
    return Report(step, total, metrics, before.since if same else now)


def report_in_status(progress: Progress | None) -> Report | None:
    """Returns the report that a status was written from: what is left of it after a restart of the operator."""
    if progress is None:
        return None
    return Report(progress.step, progress.total, progress.metrics, seconds_of(progress.step_time) or 0.0)


def progress_of(report: Report, previous: Progress | None, job_total: int | None, now: float) -> Progress:
    """Returns what the status tells, rounded; the same report gives the same progress, whenever it is asked."""
    total = report.total or job_total
    rate = _rate(report, previous)
    percent = left = None
    if report.step is not None and total:
        percent = round(min(max(100.0 * report.step / total, 0.0), 100.0), 1)
        remaining = max(total - report.step, 0)
        left = _bounded_seconds(remaining / rate) if rate else (0 if remaining == 0 else None)
    return Progress(
        step=report.step,
        total=total,
        percent=percent,
        steps_per_second=rate,
        seconds_left=left,
        metrics={name: _rounded(value, 6) for name, value in sorted(report.metrics.items())},
        step_time=stamp_of(min(report.since, now)) if report.since else "",
    )


def wait_before_write(old: Progress | None, new: Progress | None, now: float) -> float | None:
    """Returns in how many seconds the new progress may be written, None when there is nothing to write."""
    if new is None or new == old or not any(asdict(new).values()):
        return None
    if old is None or new.percent == 100.0 != old.percent:
        return 0.0
    # The status does not tell when it was written; not before its step was seen, and a later step was seen later.
    seen = seconds_of(old.step_time)
    return 0.0 if seen is None else max(0.0, min(seen + WRITE_EVERY - now, WRITE_EVERY))


def target_reached(policy: ProgressPolicy | None, report: Report | None) -> bool:
    """Whether the metric that ends the job is good enough."""
    if policy is None or policy.stop_when is None or report is None:
        return False
    value = report.metrics.get(policy.stop_when.metric)
    if value is None:
        return False
    return value <= policy.stop_when.reaches if wants_less(policy) else value >= policy.stop_when.reaches


def wants_less(policy: ProgressPolicy) -> bool:
    """Whether a smaller metric is the better one."""
    return policy.stop_when is not None and policy.stop_when.goal.lower() == "minimize"


# --- lines ------------------------------------------------------------------------------------------------------------


def _pattern(policy: ProgressPolicy | None) -> ProgressPattern | None:
    """Returns the job's own pattern; one that no server should have let in finds nothing, and the defaults are used."""
    if policy is None or not policy.pattern:
        return None
    try:
        return progress_pattern(policy.pattern)
    except PatternError:
        return None


def _read(line: str, pattern: ProgressPattern | None) -> Found:
    if pattern is not None:
        return pattern.find(line)
    text = line.strip()
    return _json(text) if text.startswith("{") else _words(text)


def _json(text: str) -> Found:
    said = _json_object(text)
    inner = said.get("progress")
    if isinstance(inner, dict):
        return inner
    return said if any(key in said for key in _STEP_KEYS) else {}


def _json_object(text: str) -> Found:
    """Reads a JSON object. Python's reader, because it takes the NaN that Python's writer makes of a lost loss."""
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _words(text: str) -> Found:
    match = _STEP.search(text)
    if match is None:
        return {}
    found: dict[str, Any] = {"step": match[1]}
    if match[2]:
        found["total"] = match[2]
    rest = text[: match.start()] + " " + text[match.end() :]
    found.update((name, value) for name, value in _METRIC.findall(rest) if name.lower() not in ("step", "total"))
    return found


def _whole(found: Found, keys: tuple[str, ...], otherwise: int | None) -> int | None:
    for key in keys:
        value = _number(found.get(key))
        if value is not None and 0 <= value <= _LARGEST:
            return int(value)
    return otherwise


def _take_metrics(metrics: dict[str, float], found: Found) -> None:
    for name, said in found.items():
        value = _number(said)
        if name in _STEP_KEYS or name in _TOTAL_KEYS or value is None or not _is_name(name):
            continue
        if name in metrics or len(metrics) < MOST_METRICS:
            metrics[name] = value


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable()


def _number(said: object) -> float | None:
    """Returns a finite number, None for everything else."""
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    try:
        value = float(said)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


# --- speed ------------------------------------------------------------------------------------------------------------


def _rate(report: Report, previous: Progress | None) -> float | None:
    """Returns steps per second, new observations weighing the more the longer they took; None before the second one."""
    if previous is None or previous.step is None or report.step is None:
        return None if previous is None else previous.steps_per_second
    seen = seconds_of(previous.step_time)
    took = report.since - seen if seen is not None else 0.0
    done = report.step - previous.step
    if done <= 0 or took < 1.0:
        return previous.steps_per_second
    latest = done / took
    if previous.steps_per_second is None:
        return _rounded(latest, 3)
    weight = 1.0 - 0.5 ** (took / _HALF_LIFE)
    return _rounded(previous.steps_per_second * (1.0 - weight) + latest * weight, 3)


def _rounded(value: float, digits: int) -> float:
    """Returns a number with so many digits that count."""
    return float(f"{value:.{digits}g}")


def _bounded_seconds(seconds: float) -> int:
    """Returns whole seconds, at most a thousand years of them."""
    return round(min(seconds, 3.2e10))
