"""The story of a job for people: what became of it, its pods, its failures, and what was said about it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from corral.surfaces.cli.render.plain import age, table

if TYPE_CHECKING:
    from corral.control.desk.story import Story


def job_story(story: "Story", now: float) -> str:
    """Returns the whole story; a part that has nothing to tell is left out."""
    parts = [_headline(story, now), _moments(story), _pods(story, now), _failures(story), _events(story)]
    return "\n\n".join(part for part in parts if part)


def _headline(story: "Story", now: float) -> str:
    line = story.line
    took = line.duration(now)
    state = line.state if took is None else f"{line.state} {'after' if line.has_ended else 'for'} {age(took)}"
    facts = [
        (line.kind, f"{line.name} in namespace {line.namespace}"),
        ("state", state),
        ("pods", f"{line.ready} of {line.total} {'done' if line.has_ended else 'ready'}, {line.restarts} restarts"),
    ]
    if line.progress:
        facts.append(("progress", _progress(line.progress, story.progress)))
    facts += [("output", output) for output in story.outputs]
    return table(facts)


def _progress(text: str, progress: Mapping[str, Any]) -> str:
    parts = [text]
    if progress.get("secondsLeft"):
        parts.append(f"{age(progress['secondsLeft'])} left")
    parts += [f"{name} {value:g}" for name, value in (progress.get("metrics") or {}).items()]
    return ", ".join(parts)


def _moments(story: "Story") -> str:
    begin = story.line.created
    rows = [
        (_clock(one.time), _after(one.time, begin), one.what if one.holds else f"no longer {one.what}", one.why)
        for one in story.moments
    ]
    return _part("what happened", rows)


def _pods(story: "Story", now: float) -> str:
    if not story.pods:
        return ""
    head = ("POD", "PLACE", "RANK", "STATE", "NODE", "RESTARTS", "AGE", "EXIT", "WHY")
    rows = [
        (
            pod.name,
            pod.place,
            "-" if pod.rank is None else str(pod.rank),
            pod.state,
            pod.node or "-",
            str(pod.restarts),
            "-" if pod.since is None else age(now - pod.since),
            "-" if pod.exit_code is None else str(pod.exit_code),
            _one_line(pod.why) or "-",
        )
        for pod in story.pods
    ]
    return table([head, *rows])


def _failures(story: "Story") -> str:
    rows = [
        (
            str(one.get("time", "")),
            str(one.get("pod", "")),
            str(one.get("class", "")),
            "-" if one.get("exitCode") is None else f"exit {one['exitCode']}",
            _one_line(": ".join(str(one[part]) for part in ("reason", "message") if one.get(part))),
        )
        for one in story.failures
    ]
    return _part("failures", [(_clock_of(row[0]), *row[1:]) for row in rows])


def _events(story: "Story") -> str:
    rows = [
        (
            _clock(one.time),
            "warning" if one.is_warning else "",
            one.about,
            f"{_one_line(one.message)}{f' ({one.times} times)' if one.times > 1 else ''}",
        )
        for one in story.events
    ]
    return _part("events", rows)


def _part(title: str, rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    return f"{title}\n" + table([[row[column] for column in kept] for row in rows], indent="  ")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clock(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def _clock_of(stamp: str) -> str:
    from corral.reconcile.moments import seconds_of

    return _clock(seconds_of(stamp))


def _after(time: float | None, begin: float | None) -> str:
    return "" if time is None or begin is None else f"+{age(time - begin)}"
