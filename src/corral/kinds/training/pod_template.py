"""The pod template, where users touch it.

The whole of it would make each definition so large that plain `kubectl apply` fails. So every field that Kubernetes
knows at the levels people write by hand is named, with lists told apart by their keys as in a pod itself, and a server
names what it does not know. Inside of the other fields everything is kept as it comes: the server checks it when a pod
is made. Values stay plain JSON; nothing decodes into these types.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corral.kinds.training.pod_containers import Container, OpenObject, Resources
from corral.kinds.training.pod_volumes import Volume
from corral.kinds.training.schema_marks import ANYTHING, INT64, QUANTITIES, default, keyed

_UNUSED = Meta(description="Not used: the server sets it on each pod.")


class TemplateMetadata(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Labels and annotations of each pod; what else an object can have here is taken and not used."""

    name: Annotated[str, Meta(description="Not used: pods are named after job, role and index.")] = ""
    namespace: Annotated[str, Meta(description="Not used: pods are in the namespace of the job.")] = ""
    labels: Annotated[dict[str, str], Meta(description="Labels of each pod.")] = {}
    annotations: Annotated[dict[str, str], Meta(description="Annotations of each pod.")] = {}
    finalizers: Annotated[list[str], Meta(description="Who must agree before a pod is gone.")] = []
    owner_references: Annotated[list[OpenObject], Meta(description="Must not be set: the job owns its pods.")] = []
    generate_name: Annotated[str, Meta(description="Not used: pods are named after job, role and index.")] = ""
    creation_timestamp: Annotated[str, _UNUSED] = ""
    deletion_timestamp: Annotated[str, _UNUSED] = ""
    deletion_grace_period_seconds: Annotated[int, _UNUSED, Meta(extra_json_schema=INT64)] = 0
    generation: Annotated[int, _UNUSED, Meta(extra_json_schema=INT64)] = 0
    managed_fields: Annotated[list[OpenObject], _UNUSED] = []
    resource_version: Annotated[str, _UNUSED] = ""
    self_link: Annotated[str, _UNUSED] = ""
    uid: Annotated[str, _UNUSED] = ""


class Toleration(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One taint of nodes that each pod bears."""

    key: Annotated[str, Meta(description="The key of the taint; every one when not given.")] = ""
    operator: Annotated[str, Meta(description="Equal, which is the default, or Exists.")] = ""
    value: Annotated[str, Meta(description="The value of the taint.")] = ""
    effect: Annotated[str, Meta(description="NoSchedule, PreferNoSchedule or NoExecute; every one by default.")] = ""
    toleration_seconds: Annotated[
        int, Meta(extra_json_schema=INT64, description="How long NoExecute is borne; for ever when not given.")
    ] = 0


class SecretName(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A Secret in the namespace of the job."""

    name: Annotated[str, Meta(extra_json_schema=default(""), description="Its name.")] = ""


class PodSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What each pod runs, and where."""

    containers: Annotated[
        list[Container], Meta(extra_json_schema=keyed("name"), description="The containers; one of them trains.")
    ]
    init_containers: Annotated[
        list[Container], Meta(extra_json_schema=keyed("name"), description="What runs to its end before.")
    ] = []
    volumes: Annotated[
        list[Volume], Meta(extra_json_schema=keyed("name"), description="What containers can mount.")
    ] = []
    node_selector: Annotated[dict[str, str], Meta(description="Labels that a node must have.")] = {}
    affinity: Annotated[OpenObject, Meta(description="Which nodes and neighbours are wanted, or not.")] = {}
    tolerations: Annotated[list[Toleration], Meta(description="Which taints of nodes are borne.")] = []
    service_account_name: Annotated[str, Meta(description="As whom each pod speaks to the API.")] = ""
    restart_policy: Annotated[str, Meta(description="Not used: restartPolicy beside the template decides.")] = ""
    scheduler_name: Annotated[str, Meta(description="Who chooses the node.")] = ""
    priority_class_name: Annotated[str, Meta(description="How important each pod is.")] = ""
    host_network: Annotated[bool, Meta(description="Whether pods use the network of their node.")] = False
    host_ipc: Annotated[bool, Meta(description="Whether pods share memory with their node.")] = msgspec.field(
        name="hostIPC", default=False
    )
    dns_policy: Annotated[str, Meta(description="How names are looked up.")] = ""
    security_context: Annotated[OpenObject, Meta(description="User, groups and rights of all containers.")] = {}
    image_pull_secrets: Annotated[
        list[SecretName], Meta(extra_json_schema=keyed("name"), description="Credentials of image registries.")
    ] = []
    termination_grace_period_seconds: Annotated[
        int, Meta(extra_json_schema=INT64, description="How long a pod may take to end.")
    ] = 30
    active_deadline_seconds: Annotated[
        int, Meta(extra_json_schema=INT64, description="How long a pod may run; see runPolicy for the whole job.")
    ] = 0
    automount_service_account_token: Annotated[bool, Meta(description="Whether its token is in the pod.")] = True
    dns_config: Annotated[OpenObject, Meta(description="More about how names are looked up.")] = {}
    enable_service_links: Annotated[bool, Meta(description="Whether variables tell of services.")] = True
    ephemeral_containers: Annotated[
        list[OpenObject], Meta(description="Not for templates: these are added to pods that run.")
    ] = []
    host_aliases: Annotated[list[OpenObject], Meta(description="More lines of the hosts file.")] = []
    host_pid: Annotated[bool, Meta(description="Whether pods see the processes of their node.")] = msgspec.field(
        name="hostPID", default=False
    )
    host_users: Annotated[bool, Meta(description="Whether pods have the users of their node.")] = True
    hostname: Annotated[str, Meta(description="The name each pod gives itself; its own by default.")] = ""
    hostname_override: Annotated[str, Meta(description="The same, without a domain.")] = ""
    node_name: Annotated[str, Meta(description="Must not be set: a scheduler chooses the node.")] = ""
    os: Annotated[OpenObject, Meta(description="The operating system that is needed.")] = {}
    overhead: Annotated[
        OpenObject, Meta(extra_json_schema=QUANTITIES, description="What a pod needs beside its containers.")
    ] = {}
    preemption_policy: Annotated[str, Meta(description="Never, or PreemptLowerPriority.")] = ""
    priority: Annotated[Any, Meta(extra_json_schema=ANYTHING, description="Set by priorityClassName.")] = None
    readiness_gates: Annotated[list[OpenObject], Meta(description="Conditions that make a pod ready.")] = []
    resource_claims: Annotated[list[OpenObject], Meta(description="Devices that are claimed.")] = []
    resources: Annotated[Resources, Meta(description="What all containers need together.")] = Resources()
    runtime_class_name: Annotated[str, Meta(description="Which runtime runs the containers.")] = ""
    scheduling_gates: Annotated[list[OpenObject], Meta(description="What must go before a node is chosen.")] = []
    service_account: Annotated[str, Meta(description="Early name of serviceAccountName.")] = ""
    set_hostname_as_fqdn: Annotated[bool, Meta(description="Whether its host name has the domain.")] = msgspec.field(
        name="setHostnameAsFQDN", default=False
    )
    share_process_namespace: Annotated[bool, Meta(description="Whether containers see each other's processes.")] = False
    subdomain: Annotated[str, Meta(description="The service below which each pod has its name.")] = ""
    topology_spread_constraints: Annotated[
        list[OpenObject], Meta(description="How evenly pods are spread over nodes and zones.")
    ] = []


class PodTemplate(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What each pod of the role looks like."""

    metadata: TemplateMetadata = TemplateMetadata()
    spec: PodSpec = PodSpec(containers=[])
