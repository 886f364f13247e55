"""What a decision asks for, as frozen values: actions, and plans made of stages.

A reconcile function returns a `Plan`; the plan executor carries it out through ports. Actions of one stage may run at the
same time and in any order; a stage starts when the one before has succeeded. A plan that fails half-way is not undone:
the next reconcile starts from what is there, so every action must make sense by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey


@dataclass(frozen=True, slots=True)
class Create:
    """Make an object. Its name must be a pure function of what it is for, so that a repetition cannot make a second.

    If the name is taken by an object with the same managing owner (by uid), the action has succeeded.
    """

    resource: ApiResource
    object: Object
    fill: str = ""
    """What the executor shall put in that no decision can know, such as fresh keys; "" is nothing."""
    told: "Told | None" = None
    or_found: bool = False
    """Whether an object of that name, whoever owns it, does as well."""


@dataclass(frozen=True, slots=True)
class Apply:
    """Make an object so, creating it if need be: server-side apply of the fields given here, owned by `manager`."""

    resource: ApiResource
    object: Object
    manager: str = ""
    force: bool = True


@dataclass(frozen=True, slots=True)
class Update:
    """Replace a whole object that was read whole; its resourceVersion guards against changes of others."""

    resource: ApiResource
    object: Object
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """Change parts of an object; with metadata.resourceVersion in the body it is guarded against changes of others."""

    resource: ApiResource
    key: ObjectKey
    body: Any
    form: Literal["json", "merge", "strategic"] = "merge"
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class SetStatus:
    """Replace the status of an object that is still the one with this uid.

    When somebody else wrote in between, the executor reads again: if neither spec nor status changed, the same status
    is written on top; otherwise the decision is void and the key is looked at again.
    """

    resource: ApiResource
    object: Object
    """The object as it was read, with the status that it had."""
    status: Object
    told: tuple["EmitEvent", ...] = ()
    """What people hear once it is written."""


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the object with this uid; gone, or replaced by another of the same name, is a success."""

    resource: ApiResource
    key: ObjectKey
    uid: str
    propagation: Literal["", "Background", "Foreground", "Orphan"] = ""
    grace_seconds: int | None = None
    version: str = ""
    """When given, only if nobody changed the object since; a change makes the decision void."""
    told: "Told | None" = None


@dataclass(frozen=True, slots=True)
class EmitEvent:
    """Tell people what happened, as a Kubernetes Event about an object; never fails a plan."""

    resource: ApiResource
    about: Object
    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Normal"
    repeats: bool = True
    """Whether saying it again raises the count; otherwise it is said once and then kept quiet for a while."""


@dataclass(frozen=True, slots=True)
class Told:
    """What people hear about an action once it is known how it went."""

    done: EmitEvent | None = None
    failed: EmitEvent | None = None
    """Its message is followed by the reason of the refusal."""
    taken: EmitEvent | None = None
    """Said when an object of somebody else holds the name."""


@dataclass(frozen=True, slots=True)
class LookAgainAfter:
    """Reconcile again after so many seconds, even if nothing changes."""

    seconds: float


Action = Create | Apply | Update | Patch | SetStatus | Delete | EmitEvent | LookAgainAfter


@dataclass(frozen=True, slots=True)
class Plan:
    """Stages of actions; an empty plan says that everything is as it should be."""

    stages: tuple[tuple[Action, ...], ...] = ()

    @staticmethod
    def of(*actions: Action) -> "Plan":
        """Returns a plan of one stage, or the empty plan."""
        return Plan((actions,)) if actions else Plan()

    def then(self, *actions: Action) -> "Plan":
        """Returns this plan with one more stage."""
        return Plan((*self.stages, actions)) if actions else self

    def __iter__(self) -> Iterator[Action]:
        return (action for stage in self.stages for action in stage)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    @property
    def look_again_after(self) -> float | None:
        """Returns the earliest time of all `LookAgainAfter`, if there is one."""
        return min((action.seconds for action in self if isinstance(action, LookAgainAfter)), default=None)


NOTHING_TO_DO = Plan()
