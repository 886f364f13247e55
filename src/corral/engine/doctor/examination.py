"""Runs a check so that what the operating system refuses becomes a finding: the doctor never falls ill itself."""

from collections.abc import Callable

from corral.engine.doctor.finding import Finding
from corral.engine.supervisor.unusable_home import reason, way_out
from corral.errors import CorralError


def examined(subject: str, check: Callable[[], Finding]) -> Finding:
    """Returns what a check finds, or the failure that kept it from looking."""
    try:
        return check()
    except OSError as error:
        return Finding("fail", subject, f"cannot be examined: {reason(error)}", way_out(error))
    except CorralError as error:
        return Finding("fail", subject, error.message, error.hint)
