"""One job for people: first what Arena shows in the form that Arena has, then the story of ours."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from corral.kinds.spans import span
from corral.surfaces.cli.render.colours import painted
from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.job_table import NOTHING
from corral.surfaces.cli.render.plain import short_age, table
from corral.surfaces.cli.render.terminal import Surroundings

if TYPE_CHECKING:
    from corral.control.desk.jobs.events import Told
    from corral.control.desk.jobs.story import PodLine, Story


class Asked(NamedTuple):
    """Which parts of a story are shown besides those that always are."""

    events: bool = False
    gpus: bool = False


PLAIN = Asked()


def job_story(story: "Story", now: float, where: Surroundings, asked: Asked = PLAIN) -> str:
    """Returns the whole story; a part that has nothing to tell is left out."""
    parts = [
        header(story, now, where),
        _instances(story, now, where),
        _gpus(story, where) if asked.gpus else "",
        _tensorboard(story, where),
        _all_events(story, now, where) if asked.events else "",
        _moments(story, where),
        _failures(story, where),
        "" if asked.events else _events(story, where),
    ]
    return "\n\n".join(part for part in parts if part)


def header(story: "Story", now: float, where: Surroundings) -> str:
    """Returns what Arena tells about the job as a whole, and below it what we know besides."""
    line = story.line
    facts = [
        ("Name:", line.name),
        ("Status:", line.status),
        ("Namespace:", line.namespace),
        ("Priority:", line.priority or NOTHING),
        ("Trainer:", line.trainer.upper()),
        ("Duration:", short_age(line.duration(now) or 0)),
        ("CreateTime:", clock(line.created)),
        ("EndTime:", clock(line.ended) if line.has_ended else ""),
        ("Pods:", f"{line.ready} of {line.total} {'done' if line.has_ended else 'ready'}, {_restarts(line.restarts)}"),
    ]
    if line.progress:
        facts.append(("Progress:", _progress(line.progress, story.progress, is_over=line.has_ended)))
    if line.failure and line.state != "Succeeded":
        told = f"{line.failure}: {story.lack}" if story.lack else line.failure
        facts.append(("Failure:", told if line.has_ended else f"{told}, and it goes on"))
    facts += [("Output:", output) for output in story.outputs]
    shown = [(name, where.safe(text)) for name, text in facts]
    return table(shown, paint=painted if where.is_coloured else None)


def _restarts(count: int) -> str:
    return f"{count} restart{'' if count == 1 else 's'}"


def _progress(text: str, progress: Mapping[str, Any], *, is_over: bool) -> str:
    parts = [text]
    if progress.get("secondsLeft") and not is_over:
        parts.append(f"{span(progress['secondsLeft'])} left")
    parts += [f"{name} {value:g}" for name, value in (progress.get("metrics") or {}).items()]
    return ", ".join(parts)


def _instances(story: "Story", now: float, where: Surroundings) -> str:
    if not story.pods:
        return ""
    columns: list[Column[PodLine]] = [
        Column("NAME", lambda pod: pod.name),
        Column("STATUS", lambda pod: pod.state),
        Column("AGE", lambda pod: NOTHING if pod.since is None else short_age(now - pod.since)),
        Column("IS_CHIEF", lambda pod: str(pod.is_chief).lower(), gives_way=1),
        Column("GPU(Requested)", lambda pod: str(pod.gpus), gives_way=2),
        Column("NODE", lambda pod: pod.node or NOTHING, gives_way=3),
        Column("RANK", lambda pod: "-" if pod.rank is None else str(pod.rank), is_ours=True),
        Column("RESTARTS", lambda pod: str(pod.restarts), is_ours=True),
        Column("EXIT", lambda pod: "-" if pod.exit_code is None else str(pod.exit_code), is_ours=True),
        Column("WHY", lambda pod: pod.why or "-", is_ours=True, is_elastic=True),
    ]
    # A pipe has room for everything.
    shown = laid_out(columns, story.pods, where, wide=where.width is None, indent="  ", underlined=True)
    return f"Instances:\n{shown}"


def _gpus(story: "Story", where: Surroundings) -> str:
    if not sum(pod.gpus for pod in story.pods):
        return ""
    columns: list[Column[PodLine]] = [
        Column("INSTANCE", lambda pod: pod.name),
        Column("NODE(IP)", lambda pod: pod.node_address or NOTHING, gives_way=2),
        Column("GPU(Requested)", lambda pod: str(pod.gpus)),
        Column("GPU(IndexId)", _unmeasured, gives_way=1),
        Column("GPU(DutyCycle)", _unmeasured),
        Column("GPU Memory(Used/Total)", _unmeasured),
    ]
    shown = laid_out(columns, story.pods, where, indent="  ", underlined=True)
    line = story.line
    return f"GPUs:\n{shown}\n\n  Allocated/Requested GPUs of Job: {line.gpus_allocated}/{line.gpus_requested}"


def _unmeasured(_: "PodLine") -> str:
    return NOTHING


def _tensorboard(story: "Story", where: Surroundings) -> str:
    if not story.tensorboard:
        return ""
    return f"Tensorboard:\n  Your tensorboard will be available on:\n  {where.safe(story.tensorboard)}"


def _all_events(story: "Story", now: float, where: Surroundings) -> str:
    return "Events:\n" + (event_table(story.events, now, where, indent="  ") or "  No events for resources")


def event_table(events: "Sequence[Told]", now: float, where: Surroundings, *, indent: str = "") -> str:
    """Returns events in Arena's columns; "" when there are none."""
    columns: list[Column[Told]] = [
        Column("SOURCE", lambda one: one.about, is_elastic=True, keeps_end=True),
        Column("TYPE", lambda one: "Warning" if one.is_warning else "Normal"),
        Column("AGE", lambda one: NOTHING if one.time is None else short_age(now - one.time)),
        Column("MESSAGE", lambda one: f"[{one.reason}] {one.message}{_times(one)}", is_prose=True),
    ]
    return laid_out(columns, events, where, indent=indent, underlined=True) if events else ""


def _times(one: "Told") -> str:
    return f" ({one.times} times)" if one.times > 1 else ""


_NAMED = {"What happened:": -1, "Failures:": 1, "Events:": 2}
"""Where the lines of each part have the name of a pod; -1 is nowhere."""


def _moments(story: "Story", where: Surroundings) -> str:
    begin = story.line.created
    rows = [
        (clock(one.time), _after(one.time, begin), one.what if one.holds else f"no longer {one.what}", one.why)
        for one in story.moments
    ]
    return _part("What happened:", rows, where)


def _failures(story: "Story", where: Surroundings) -> str:
    from corral.reconcile.moments import seconds_of

    rows = [
        (
            clock(seconds_of(str(one.get("time", "")))),
            str(one.get("pod", "")),
            str(one.get("class", "")),
            "-" if one.get("exitCode") is None else f"exit {one['exitCode']}",
            _one_line(": ".join(str(one[part]) for part in ("reason", "message") if one.get(part))),
        )
        for one in story.failures
    ]
    return _part("Failures:", rows, where)


def _events(story: "Story", where: Surroundings) -> str:
    """Returns the events that matter; all of them are shown when they are asked for."""
    rows = [
        (
            clock(one.time),
            "warning" if one.is_warning else "",
            "" if one.name == story.line.name else one.name,
            f"{_one_line(one.message)}{_times(one)}",
        )
        for one in story.events
    ]
    return _part("Events:", rows, where)


def _part(title: str, rows: Sequence[tuple[str, ...]], where: Surroundings) -> str:
    """Returns lines below a title; what stands in the last place of each is prose, and before it may be the name of a pod."""
    if not rows:
        return ""
    kept = [place for place in range(len(rows[0])) if any(row[place] for row in rows)]
    columns = [_part_column(place, is_last=place == kept[-1], is_name=place == _NAMED[title]) for place in kept]
    return f"{title}\n" + laid_out(columns, rows, where, indent="  ")


def _part_column(place: int, *, is_last: bool, is_name: bool) -> "Column[tuple[str, ...]]":
    return Column("", lambda row: row[place], is_elastic=is_name, keeps_end=is_name, is_prose=is_last)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def clock(seconds: float | None) -> str:
    """Returns a moment in local time, as Arena writes it; "" for none."""
    return "" if seconds is None else datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def _after(time: float | None, begin: float | None) -> str:
    return "" if time is None or begin is None else f"+{span(time - begin)}"
