"""Everything that a decision about one cron may look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from corral.kinds.objects import Object


@dataclass(frozen=True, slots=True)
class World:
    """A cron and the jobs that it manages."""

    cron: Object
    jobs: Sequence[Object] = ()
    zone: tzinfo | None = UTC
    """By whose clock it goes; None when nobody knows the zone that it names."""
