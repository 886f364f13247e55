"""What is known of run times while a trace of gangs is played: what owners say, nothing, or what was learnt."""

from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.run_times import RunTimes
from corral.placement.replay.gangs_trace import GangJob


class Declared:
    """Everybody says how long a job will run, and it is true, or out by a factor."""

    is_declared = True

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = factor

    def run_time(self, job: GangJob) -> float | None:
        """Returns the true run time, out by the factor."""
        return job.duration * self._factor

    def ended(self, job: GangJob) -> None:
        """Learns nothing."""


class Unknown:
    """Nobody says how long a job will run."""

    is_declared = False

    def run_time(self, job: GangJob) -> float | None:
        """Returns that nobody knows."""
        return None

    def ended(self, job: GangJob) -> None:
        """Learns nothing."""


class Learnt:
    """Nobody says it, but jobs of the same queue and size ended before."""

    is_declared = False

    def __init__(self) -> None:
        self._known = RunTimes()

    def run_time(self, job: GangJob) -> float | None:
        """Returns what half of those jobs did not exceed; None while too few have ended."""
        return self._known.quantile(kind_of(job))

    def ended(self, job: GangJob) -> None:
        """Learns from a job that ended now."""
        self._known.ended(kind_of(job), job.duration)


def kind_of(job: GangJob) -> Kind:
    """Returns what jobs have in common that run about as long."""
    return Kind(job.queue, job.gpus * 1000)
