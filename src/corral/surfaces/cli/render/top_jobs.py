"""Jobs and ranks with what they use: Arena's columns, with processors and memory of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.job_story import header
from corral.surfaces.cli.render.job_table import NOTHING
from corral.surfaces.cli.render.plain import short_age
from corral.surfaces.cli.render.terminal import Surroundings
from corral.surfaces.cli.render.usage import memory, processors

if TYPE_CHECKING:
    from corral.control.desk.top.job_lines import UsedJob, UsedPod, UsedRanks


def top_jobs(jobs: "Sequence[UsedJob]", now: float, where: Surroundings, *, everywhere: bool) -> str:
    """Returns the jobs with most GPUs first, and how many GPUs all that have not ended have and want."""
    columns: list[Column[UsedJob]] = [
        *([Column("NAMESPACE", _namespace)] if everywhere else []),
        Column("NAME", lambda one: one.line.name),
        Column("STATUS", lambda one: one.line.status),
        Column("TRAINER", lambda one: one.line.trainer.upper(), gives_way=2),
        Column("AGE", lambda one: short_age(one.line.duration(now) or 0), gives_way=3),
        Column("GPU(Requested)", lambda one: str(one.line.gpus_requested)),
        Column("GPU(Allocated)", lambda one: str(one.line.gpus_allocated), gives_way=4),
        Column("NODE", lambda one: one.line.chief_address or NOTHING, gives_way=1),
        Column("CPU", lambda one: processors(one.usage.cpu)),
        Column("MEMORY", lambda one: memory(one.usage.memory)),
    ]
    # Arena counts running jobs only, so that both numbers are nearly always the same; those that wait want GPUs as well.
    going = [one.line for one in jobs if not one.line.has_ended]
    given, wanted = sum(one.gpus_allocated for one in going), sum(one.gpus_requested for one in going)
    total = f"Total Allocated/Requested GPUs of Training Jobs: {given}/{wanted}"
    return f"{laid_out(columns, jobs, where)}\n\n{total}"


def _namespace(one: "UsedJob") -> str:
    return one.line.namespace


def top_ranks(ranks: "UsedRanks", now: float, where: Surroundings) -> str:
    """Returns one job with what each of its ranks uses."""
    columns: list[Column[UsedPod]] = [
        Column("NAME", lambda one: one.pod.name),
        Column("STATUS", lambda one: one.pod.state),
        Column("GPU(Request)", lambda one: str(one.pod.gpus), gives_way=5),
        Column("NODE", lambda one: one.pod.node_address or NOTHING, gives_way=4),
        Column("GPU(DeviceIndex)", _unmeasured, gives_way=1),
        Column("GPU(DutyCycle)", _unmeasured, gives_way=3),
        Column("GPU_MEMORY(Used/Total)", _unmeasured, gives_way=2),
        Column("RANK", lambda one: "-" if one.pod.rank is None else str(one.pod.rank)),
        Column("CPU", lambda one: processors(one.usage.cpu)),
        Column("MEMORY", lambda one: memory(one.usage.memory)),
    ]
    parts = [header(ranks.story, now, where)]
    if ranks.pods:
        parts.append("Instances:\n" + laid_out(columns, ranks.pods, where, indent="  ", underlined=True))
    line = ranks.story.line
    parts.append(f"GPUs:\n  Allocated/Requested GPUs of Job: {line.gpus_allocated}/{line.gpus_requested}")
    return "\n\n".join(parts)


def _unmeasured(_: "UsedPod") -> str:
    return NOTHING
