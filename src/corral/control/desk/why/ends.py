"""Rules about jobs that have ended. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from corral.control.desk.jobs.lines import conditions_of, status_of
from corral.control.desk.logs.sources import failed_init
from corral.control.desk.why.lacks import remedies
from corral.control.desk.why.situation import Situation
from corral.kinds.reasons import Evidence, Reason

CLASSES: Final = {
    "user": "its program failed",
    "oom": "it ran out of memory",
    "infra": "it was killed from outside, or could not be started",
    "node": "its node was lost",
    "preempted": "it was taken off its node for something else",
    "hang": "it made no further step, and was ended",
    "unknown": "it failed, and nothing says how",
}
REPAIR: Final = "repair the program: the same one fails again"
_HELP: Final = {
    "user": REPAIR,
    "oom": "raise the memory limit of the container, or make batches smaller",
    "infra": "try again: the program may have no part in it",
    "node": "try again: another node may be well",
    "preempted": "try again, or ask for a higher priority",
    "hang": "look at the stacks in the log",
}


def succeeded(situation: Situation) -> Reason | None:
    """A job that has succeeded."""
    if situation.line.state != "Succeeded":
        return None
    told = _said(situation, "Succeeded")
    return Reason("succeeded", f"it has succeeded{_after(situation)}", evidence=told)


def failed(situation: Situation) -> Reason | None:
    """A job that has failed: the class of its last failure, the pod, and its last words."""
    if situation.line.state != "Failed":
        return None
    failures: list[Mapping[str, Any]] = status_of(situation.job.object).get("failures") or []
    last = failures[-1] if failures else {}
    kind = str(last.get("class") or "unknown")
    code = last.get("exitCode")
    how = "" if code is None else f" with exit code {code}"
    where = f" ({last['pod']}{f' on {node}' if (node := last.get('node')) else ''})" if last.get("pod") else ""
    lack = situation.lack if kind == "user" else None
    early = next(filter(None, map(failed_init, situation.pods)), "") if kind == "user" else ""
    cause = f"{lack.sentence} and failed" if lack is not None else CLASSES.get(kind, kind)
    if early:
        cause = f"its program was not started, since its initialisation, {early}, failed"
    sentence = f"it has failed{_after(situation)}: {cause}{how}{where}"
    seen = [Evidence(f"pod/{one.get('pod', '')}", _failure(one)) for one in failures[-3:]]
    words = situation.last_words
    lines = [Evidence(f"log of {words.pod}", line) for line in words.lines] if words is not None else []
    numbers = {"class": kind, "failures": len(failures), **({} if code is None else {"exitCode": code})}
    helps = [_HELP[kind]] if kind in _HELP else []
    helps = [f"repair what {early} does, such as where it fetches code from"] if early else helps
    if lack is not None:
        numbers[lack.what], helps = lack.name, [*remedies(lack, situation.job, is_here=situation.is_here)]
        steps = [*helps, f"corral logs {situation.name}"]
    else:
        steps = [f"corral logs {situation.name}", *helps, f"corral get {situation.name} -e"]
    return Reason(f"failed-{kind}", sentence, numbers, (*_said(situation, "Failed"), *seen, *lines), tuple(steps))


def _said(situation: Situation, kind: str) -> tuple[Evidence, ...]:
    told = [one for one in conditions_of(situation.job.object) if one.get("type") == kind and one.get("message")]
    return tuple(Evidence("job", str(one["message"])) for one in told)


def _failure(one: Mapping[str, Any]) -> str:
    code = one.get("exitCode")
    parts = [str(one.get("class", "")), "" if code is None else f"exit {code}", str(one.get("reason", ""))]
    told = " ".join(str(one.get("message", "")).split())
    return ", ".join(part for part in parts if part) + (f": {told}" if told else "")


def _after(situation: Situation) -> str:
    from corral.kinds.spans import span

    took = situation.line.duration(situation.now)
    return "" if took is None else f" after {span(took)}"
