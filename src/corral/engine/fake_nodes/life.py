"""The life of a pod that is played: which moment follows which, and how long each lasts. Pure."""

from corral.engine.fake_nodes.part import Part
from corral.engine.fake_nodes.pod_words import Moment, Run
from corral.kinds.objects import Object

ASKED_TO_END = 143
"""The exit code of a program that SIGTERM ends."""
LONGEST_REST = 300.0


def first_moment(pod: Object, part: Part, taken: Moment, now: str) -> Moment:
    """Returns the beginning of the life of a pod that a node has just taken."""
    return taken if part.pending > 0 else following(pod, taken, part, now)


def duration(moment: Moment, part: Part) -> float | None:
    """Returns how long a moment lasts in seconds, None when it ends only with the pod."""
    if moment.has_ended:
        return None
    if moment.main.is_running:
        return part.seconds
    if moment.main.is_resting:
        return min(part.rest * 2.0 ** min(moment.main.number, 10), LONGEST_REST)
    return part.init_seconds if moment.init.is_running else part.pending


def following(pod: Object, moment: Moment, part: Part, now: str) -> Moment:
    """Returns what comes after a moment that is over."""
    spec, init, main = pod["spec"], moment.init, moment.main
    if main.is_running:
        ended = main.end(part.exit_code(main.number), part.reason, now)
        if starts_again(spec.get("restartPolicy", "Always"), part.exit_code(main.number)):
            return moment._replace(main=ended.resting() if part.rest else ended.again(now))
        return moment._replace(main=ended)
    if main.is_resting:
        return moment._replace(main=main.again(now))
    if init.is_running:
        init = init.end(part.init_exit_code, part.reason, now)
        return moment._replace(init=init, main=main if init.has_failed else main.running(now))
    if spec.get("initContainers") and init.is_waiting:
        return moment._replace(init=init.running(now))
    return moment._replace(main=main.running(now))


def stopped(moment: Moment, now: str) -> Moment:
    """Returns the end of a pod that is asked to go: what runs ends at once, as a program does that heeds SIGTERM."""
    return moment._replace(init=_stopped(moment.init, now), main=_stopped(moment.main, now))


def _stopped(run: Run, now: str) -> Run:
    if run.is_resting and run.before is not None:
        return Run(run.number, run.before.began, run.before)
    return run.end(ASKED_TO_END, "", now) if run.is_running else run


def starts_again(restart_policy: str, exit_code: int) -> bool:
    """Whether a container that ended is started again in its place."""
    return restart_policy == "Always" or (restart_policy == "OnFailure" and exit_code != 0)
