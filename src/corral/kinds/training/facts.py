"""What distinguishes one training kind from another, as data: names, roles, ports and defaults.

Everything that reads a training job looks here instead of asking which kind it is; a new kind begins with a new value.
"""

from typing import Any, Literal

import msgspec

from corral.kinds.references import ApiResource

GROUP = "kubeflow.org"

RestartPolicy = Literal["Always", "OnFailure", "Never", "ExitCode"]


class KindFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One kind in one dialect of its API."""

    kind: str
    plural: str
    framework: str
    """The value of the metrics' `framework` label."""
    map_field: str
    """The field of spec that holds the replica specs by role."""
    roles: tuple[str, ...]
    """The roles in the order in which they are looked at, reported and ranked."""
    container: str
    """The name of the container that trains."""
    port_name: str
    port: int
    spec_type: type[Any]
    """The msgspec type of `spec`."""
    restart_policy: RestartPolicy = "Never"
    restart_policies: tuple[tuple[str, RestartPolicy], ...] = ()
    """Defaults of single roles that differ from `restart_policy`."""
    default_replicas: tuple[tuple[str, int], ...] = ()
    """Defaults of single roles that differ from one."""
    adds_port: bool = True
    """Whether the default port is put on the training container when it has no port of that name."""
    has_services: bool = True
    """Whether every pod gets a headless service of its name."""
    scales: bool = False
    """Whether the scale subresource moves the number of workers."""
    autoscales: bool = False
    """Whether metrics in its elastic policy give the job an autoscaler."""
    reports_selector: bool = False
    """Whether `status.replicaStatuses` carries a selector."""
    any_case_roles: bool = False
    """Whether role keys may be written in any case."""
    version: str = "v1"
    operator_name: str = ""

    @property
    def singular(self) -> str:
        """Returns the kind in lower case, as labels and paths write it."""
        return self.kind.lower()

    @property
    def controller_name(self) -> str:
        """Returns the value of the operator-name label."""
        return self.operator_name or f"{self.singular}-controller"

    @property
    def resource(self) -> ApiResource:
        """Returns the API resource; v1 is what is stored, so it is what the operator reads."""
        return ApiResource(GROUP, "v1", self.kind, self.plural)

    def restart_policy_of(self, role: str) -> RestartPolicy:
        """Returns the restart policy of a role that names none."""
        return dict(self.restart_policies).get(role, self.restart_policy)

    def replicas_of(self, role: str) -> int:
        """Returns the number of replicas of a role that gives none."""
        return dict(self.default_replicas).get(role, 1)

    def canonical_role(self, key: str) -> str:
        """Returns the role that a key of the replica map means; an unknown key is returned as it is."""
        return next((role for role in self.roles if role.lower() == key.lower()), key)
