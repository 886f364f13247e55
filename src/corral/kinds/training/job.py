"""A training job as the reconciler reads it: one shape for all kinds, with every default filled in.

Nothing here is written back: `kubectl get -o yaml` shows what the user sent.
"""

from dataclasses import dataclass
from typing import Any

from corral.kinds.objects import Object, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.run_policy import RunPolicy


@dataclass(frozen=True, slots=True)
class Replicas:
    """One role of a job, defaults filled in."""

    role: str
    """In its canonical spelling, such as Worker."""
    count: int
    template: Object
    """The pod template, with the default port on the training container; shared, so copy before changing."""
    restart_policy: str


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Which pod of a job: its role and its index within the role."""

    role: str
    index: int


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """One job of any kind."""

    facts: KindFacts
    object: Object
    """As the server sent it."""
    spec: Any
    """The decoded spec, of the type that `facts.spec_type` names."""
    run_policy: RunPolicy
    roles: dict[str, Replicas]
    """Only the roles that the job has, in the order of `facts.roles`."""

    @property
    def kind(self) -> str:
        """Returns the kind."""
        return self.facts.kind

    @property
    def key(self) -> ObjectKey:
        """Returns namespace and name."""
        return key_of(self.object)

    @property
    def name(self) -> str:
        """Returns the name."""
        return str(self.object["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Returns the namespace."""
        return str(self.object["metadata"]["namespace"])

    @property
    def uid(self) -> str:
        """Returns the uid."""
        return str(self.object["metadata"].get("uid", ""))

    @property
    def annotations(self) -> dict[str, str]:
        """Returns the annotations, never None."""
        return self.object["metadata"].get("annotations") or {}

    @property
    def total(self) -> int:
        """Returns the number of pods of all roles."""
        return sum(replicas.count for replicas in self.roles.values())

    def has(self, role: str) -> bool:
        """Whether the job has this role."""
        return role in self.roles

    def count(self, role: str) -> int:
        """Returns the number of pods of a role, none when the job does not have it."""
        return self.roles[role].count if role in self.roles else 0

    def places(self) -> list[Place]:
        """Returns all pods that the job asks for, role by role."""
        return [Place(role, index) for role, one in self.roles.items() for index in range(one.count)]

    def child_name(self, role: str, index: int) -> str:
        """Returns the name that the pod and the service of a place share."""
        return f"{self.name}-{role.lower()}-{index}"

    def port(self, role: str) -> int:
        """Returns the rendezvous port of a role: the port of the kind's port name on its training container."""
        template = self.roles[role].template if role in self.roles else {}
        containers = (template.get("spec") or {}).get("containers") or []
        named = [one for one in containers if one.get("name") == self.facts.container] or containers[:1]
        for port in (named[0].get("ports") or []) if named else []:
            if port.get("name") == self.facts.port_name:
                return int(port["containerPort"])
        return self.facts.port
