"""The containers of a pod template, with every field that Kubernetes knows there.

A field that is listed nowhere is a slip of the pen, which a server then names instead of dropping it. What is inside of
the fields that are not described further is checked when a pod is made.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corral.kinds.training.schema_marks import ANYTHING, QUANTITIES, default, keyed

Lines = Annotated[Any, Meta(extra_json_schema=ANYTHING)]
"""A list of texts; manifests of early releases write it as one text, so its type is not fixed."""
OpenObject = dict[str, Any]


class EnvVar(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One environment variable."""

    name: Annotated[str, Meta(description="Its name.")]
    value: Annotated[str, Meta(description="Its value; $(NAME) stands for a variable defined before.")] = ""
    value_from: Annotated[OpenObject, Meta(description="Where the value comes from instead.")] = {}


class ContainerPort(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One port that the container listens on."""

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

    mount_path: Annotated[str, Meta(description="The path in the container.")]
    name: Annotated[str, Meta(description="The name of the volume.")]
    sub_path: Annotated[str, Meta(description="The path in the volume; its root when not given.")] = ""
    sub_path_expr: Annotated[str, Meta(description="As subPath, with $(NAME) for variables of the container.")] = ""
    read_only: Annotated[bool, Meta(description="Whether writing is forbidden.")] = False
    recursive_read_only: Annotated[str, Meta(description="Whether mounts below are too: Enabled, IfPossible.")] = ""
    mount_propagation: Annotated[str, Meta(description="Whether later mounts show on the other side.")] = ""


class Resources(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What the container needs, and the most it may use."""

    limits: Annotated[
        OpenObject, Meta(extra_json_schema=QUANTITIES, description="The most it may use, such as nvidia.com/gpu: 1.")
    ] = {}
    requests: Annotated[OpenObject, Meta(extra_json_schema=QUANTITIES, description="What must be free for it.")] = {}
    claims: Annotated[list[OpenObject], Meta(description="Which resourceClaims of the pod it uses.")] = []


class Container(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One container of each pod."""

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
    volume_devices: Annotated[list[OpenObject], Meta(description="Where block devices appear.")] = []
    security_context: Annotated[OpenObject, Meta(description="Its user, groups and rights.")] = {}
    liveness_probe: Annotated[OpenObject, Meta(description="How to see that it must be started anew.")] = {}
    readiness_probe: Annotated[OpenObject, Meta(description="How to see that it can be talked to.")] = {}
    startup_probe: Annotated[OpenObject, Meta(description="How to see that it has started.")] = {}
    lifecycle: Annotated[OpenObject, Meta(description="What runs after its start and before its end.")] = {}
    restart_policy: Annotated[str, Meta(description="Always, for what runs beside the others from the start.")] = ""
    restart_policy_rules: Annotated[list[OpenObject], Meta(description="Exit codes that start it anew.")] = []
    resize_policy: Annotated[list[OpenObject], Meta(description="Whether other resources need a new start.")] = []
    termination_message_path: Annotated[str, Meta(description="The file with its last words.")] = ""
    termination_message_policy: Annotated[str, Meta(description="File, or FallbackToLogsOnError.")] = ""
    stdin: Annotated[bool, Meta(description="Whether somebody can write to it.")] = False
    stdin_once: Annotated[bool, Meta(description="Whether its input ends with the first writer.")] = False
    tty: Annotated[bool, Meta(description="Whether it has a terminal.")] = False
