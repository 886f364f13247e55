"""When probes are asked and what their answers mean: thresholds of kubelet, as a pure step. Pure."""

from typing import NamedTuple

from corral.kinds.objects import Object

KINDS = ("startupProbe", "livenessProbe", "readinessProbe")


class ProbeRules(NamedTuple):
    """The numbers of one probe, with the defaults of the API."""

    initial_delay: float
    period: float
    timeout: float
    successes: int
    failures: int


class ProbeTally(NamedTuple):
    """How a probe has been answered: the last answer, how often in a row, and what it means so far."""

    verdict: bool | None = None
    """None while there are too few answers to tell."""
    is_good: bool = False
    in_a_row: int = 0
    said: str = ""


def rules_of(probe: Object) -> ProbeRules:
    """Returns the numbers of a probe."""
    return ProbeRules(
        float(probe.get("initialDelaySeconds") or 0),
        float(probe.get("periodSeconds") or 10),
        float(probe.get("timeoutSeconds") or 1),
        int(probe.get("successThreshold") or 1),
        int(probe.get("failureThreshold") or 3),
    )


def answered(tally: ProbeTally, is_good: bool, said: str, rules: ProbeRules) -> ProbeTally:
    """Returns the tally after one more answer."""
    in_a_row = tally.in_a_row + 1 if tally.in_a_row and tally.is_good == is_good else 1
    enough = in_a_row >= (rules.successes if is_good else rules.failures)
    return ProbeTally(is_good if enough else tally.verdict, is_good, in_a_row, said)


def first_verdict(kind: str) -> bool | None:
    """Returns what holds before the first answer: alive, but neither started nor ready."""
    return True if kind == "livenessProbe" else None
