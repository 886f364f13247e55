"""The pod template, where users touch it.

The whole of it would make each definition so large that plain `kubectl apply` fails. So the fields that people write
by hand are described, with lists told apart by their keys as in a pod itself, and everything else is kept as it comes:
the server checks it when a pod is made. Values stay plain JSON; nothing decodes into these types.
"""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from corral.kinds.training.schema_marks import ANYTHING, INT64, QUANTITIES, default, keyed

Lines = Annotated[Any, Meta(extra_json_schema=ANYTHING)]
"""A list of texts; manifests of early releases write it as one text, so its type is not fixed."""
OpenObject = dict[str, Any]


class TemplateMetadata(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Labels and annotations of each pod."""

    keeps_unknown: ClassVar[bool] = True
    name: Annotated[str, Meta(description="Not used: pods are named after job, role and index.")] = ""
    namespace: Annotated[str, Meta(description="Not used: pods are in the namespace of the job.")] = ""
    labels: Annotated[dict[str, str], Meta(description="Labels of each pod.")] = {}
    annotations: Annotated[dict[str, str], Meta(description="Annotations of each pod.")] = {}
    finalizers: Annotated[list[str], Meta(description="Who must agree before a pod is gone.")] = []


class EnvVar(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One environment variable."""

    keeps_unknown: ClassVar[bool] = True
    name: Annotated[str, Meta(description="Its name.")]
    value: Annotated[str, Meta(description="Its value; $(NAME) stands for a variable defined before.")] = ""
    value_from: Annotated[OpenObject, Meta(description="Where the value comes from instead.")] = {}


class ContainerPort(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One port that the container listens on."""

    keeps_unknown: ClassVar[bool] = True
    container_port: Annotated[int, Meta(description="The number, 1 to 65535.")]
    protocol: Annotated[str, Meta(extra_json_schema=default("TCP"), description="TCP, UDP or SCTP.")] = "TCP"
    name: Annotated[
        str, Meta(description="A name; the port of the kind's own name is where the pods of a job find each other.")
    ] = ""
    host_port: Annotated[int, Meta(description="The port of the node, if it shall be reached there.")] = 0
    host_ip: Annotated[str, Meta(description="The address of the node to bind to.")] = msgspec.field(
        name="hostIP", default=""
    )


class VolumeMount(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Where a volume appears in the container."""

    keeps_unknown: ClassVar[bool] = True
    mount_path: Annotated[str, Meta(description="The path in the container.")]
    name: Annotated[str, Meta(description="The name of the volume.")]
    sub_path: Annotated[str, Meta(description="The path in the volume; its root when not given.")] = ""
    read_only: Annotated[bool, Meta(description="Whether writing is forbidden.")] = False


class Resources(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What the container needs, and the most it may use."""

    keeps_unknown: ClassVar[bool] = True
    limits: Annotated[
        OpenObject, Meta(extra_json_schema=QUANTITIES, description="The most it may use, such as nvidia.com/gpu: 1.")
    ] = {}
    requests: Annotated[OpenObject, Meta(extra_json_schema=QUANTITIES, description="What must be free for it.")] = {}


class Container(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One container of each pod."""

    keeps_unknown: ClassVar[bool] = True
    name: Annotated[str, Meta(description="Its name; the one with the name of the kind's container trains.")]
    image: Annotated[str, Meta(description="What it is made from.")] = ""
    image_pull_policy: Annotated[str, Meta(description="Always, Never or IfNotPresent.")] = ""
    command: Annotated[Lines, Meta(description="What runs: a list of texts, no shell in between.")] = None
    args: Annotated[Lines, Meta(description="What it is given: a list of texts.")] = None
    working_dir: Annotated[str, Meta(description="Where it starts.")] = ""
    env: Annotated[list[EnvVar], Meta(extra_json_schema=keyed("name"), description="Its environment.")] = []
    env_from: Annotated[list[OpenObject], Meta(description="ConfigMaps and Secrets that add to its environment.")] = []
    ports: Annotated[
        list[ContainerPort],
        Meta(extra_json_schema=keyed("containerPort", "protocol"), description="The ports it listens on."),
    ] = []
    resources: Resources = Resources()
    volume_mounts: Annotated[
        list[VolumeMount], Meta(extra_json_schema=keyed("mountPath"), description="Where volumes appear.")
    ] = []


class Volume(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One volume of each pod, and where it comes from."""

    keeps_unknown: ClassVar[bool] = True
    name: Annotated[str, Meta(description="The name by which containers mount it.")]


class Toleration(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One taint of nodes that each pod bears."""

    keeps_unknown: ClassVar[bool] = True
    key: Annotated[str, Meta(description="The key of the taint; every one when not given.")] = ""
    operator: Annotated[str, Meta(description="Equal, which is the default, or Exists.")] = ""
    value: Annotated[str, Meta(description="The value of the taint.")] = ""
    effect: Annotated[str, Meta(description="NoSchedule, PreferNoSchedule or NoExecute; every one by default.")] = ""
    toleration_seconds: Annotated[
        int, Meta(extra_json_schema=INT64, description="How long NoExecute is borne; for ever when not given.")
    ] = 0


class SecretName(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A Secret in the namespace of the job."""

    keeps_unknown: ClassVar[bool] = True
    name: Annotated[str, Meta(extra_json_schema=default(""), description="Its name.")] = ""


class PodSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What each pod runs, and where."""

    keeps_unknown: ClassVar[bool] = True
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


class PodTemplate(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What each pod of the role looks like."""

    keeps_unknown: ClassVar[bool] = True
    metadata: TemplateMetadata = TemplateMetadata()
    spec: PodSpec = PodSpec(containers=[])
