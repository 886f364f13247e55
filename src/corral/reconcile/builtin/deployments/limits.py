"""How many pods a rollout may have too many, and how many it may lack."""

import math
from typing import Any, NamedTuple

from corral.kinds.objects import Object

NO_DEADLINE = 2**31 - 1


class Limits(NamedTuple):
    """The numbers of a rollout."""

    replicas: int
    surge: int
    unavailable: int

    @property
    def most(self) -> int:
        """Returns how many pods there may be at once."""
        return self.replicas + self.surge

    @property
    def least_available(self) -> int:
        """Returns how many pods must be available at any time."""
        return self.replicas - self.unavailable


def limits_of(deployment: Object) -> Limits:
    """Returns the limits as numbers: percentages of surge are rounded up, of unavailability down, and never both zero."""
    spec = deployment["spec"]
    replicas = 1 if spec.get("replicas") is None else int(spec["replicas"])
    if not is_rolling(deployment):
        return Limits(replicas, 0, 0)
    rolling = (spec.get("strategy") or {}).get("rollingUpdate") or {}
    surge = _resolved(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = _resolved(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    if surge == 0 and unavailable == 0:
        unavailable = 1  # with neither there is no way forward
    return Limits(replicas, surge, min(unavailable, replicas))


def is_rolling(deployment: Object) -> bool:
    """Whether old pods are replaced bit by bit, and not all at once."""
    return ((deployment["spec"].get("strategy") or {}).get("type") or "RollingUpdate") == "RollingUpdate"


def deadline_of(deployment: Object) -> int | None:
    """Returns the seconds after which a rollout without progress counts as failed, None for never."""
    deadline = deployment["spec"].get("progressDeadlineSeconds")
    return None if deadline is None or int(deadline) >= NO_DEADLINE else int(deadline)


def _resolved(amount: Any, total: int, *, up: bool) -> int:
    if isinstance(amount, str) and amount.endswith("%"):
        share = int(amount[:-1]) * total
        return -(-share // 100) if up else math.floor(share / 100)
    return int(amount)
