"""A cron on a server that keeps what is written, and an operator that may die after each of its writes."""

from typing import Any

from corral.kinds.objects import Object, copied
from corral.reconcile.cron.decision import decide
from corral.reconcile.cron.jobs import is_over, scheduled_of
from corral.reconcile.cron.world import World
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Create, Delete, SetStatus


class Model:
    """What there is, and everything that was ever made."""

    def __init__(self, cron: Object, now: float) -> None:
        self.cron = cron
        self.now = now
        self.jobs: dict[str, Object] = {}
        self.made: list[tuple[float, float]] = []
        """For which time each job was made, and when."""
        self.most_active = 0

    @property
    def status(self) -> Any:
        """Returns what is told of the cron."""
        return self.cron.get("status") or {}

    @property
    def active(self) -> list[Object]:
        """Returns the jobs that go on."""
        return [job for job in self.jobs.values() if not is_over(job)]

    def look(self, writes: int | None = None) -> bool:
        """Lets an operator look once, and die after so many writes; returns whether there was anything to write."""
        plan = decide(World(copied(self.cron), list(self.jobs.values())), self.now)
        left = [action for action in plan if isinstance(action, Create | Delete | SetStatus)]
        for action in left if writes is None else left[:writes]:
            self._carry_out(action)
        return bool(left)

    def settle(self) -> None:
        """Looks until nothing is left to write."""
        for _ in range(20):
            if not self.look():
                return
        raise AssertionError(f"writes do not stop: {self.status}")

    def end(self, name: str, state: str) -> None:
        """Lets a job end."""
        condition = {"type": state, "status": "True", "lastTransitionTime": stamp_of(self.now)}
        self.jobs[name]["status"] = {"conditions": [condition]}

    def collect(self) -> None:
        """Lets jobs go that wait for their pods."""
        self.jobs = {name: job for name, job in self.jobs.items() if "deletionTimestamp" not in job["metadata"]}

    def change(self, **spec: Any) -> None:
        """Lets the user change the spec."""
        self.cron = {**self.cron, "spec": {**self.cron["spec"], **spec}}

    def _carry_out(self, action: Create | Delete | SetStatus) -> None:
        match action:
            case SetStatus():
                self.cron = {**self.cron, "status": action.status}
            case Create():
                self._create(action.object)
            case Delete(propagation="Foreground"):
                self.jobs[action.key.name]["metadata"]["deletionTimestamp"] = stamp_of(self.now)
            case Delete():
                self.jobs.pop(action.key.name)

    def _create(self, wanted: Object) -> None:
        name = wanted["metadata"]["name"]
        assert name not in self.jobs, "the operator saw it"
        self.jobs[name] = copied(wanted)
        self.jobs[name]["metadata"] |= {"uid": name, "creationTimestamp": stamp_of(self.now)}
        moment = scheduled_of(wanted)
        assert moment is not None
        self.made.append((moment, self.now))
        self.most_active = max(self.most_active, len(self.active))
