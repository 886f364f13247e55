"""Nodes and pods with nothing but what decides where pods go: no command, variable, image or message is ever in them. Pure.

The shapes leave out most of it already while decoding. Of annotations only the words of scheduling stay; labels stay, since
selectors ask for any of them, and names do, since a report without them helps nobody.
"""

from typing import Any, Final

import msgspec

from corral.kinds.objects import Metadata
from corral.kinds.scheduling import names
from corral.kinds.scheduling.pod_view import Condition, SchedulingNode, SchedulingPod, Volume

WORDS: Final = frozenset(text for name, text in vars(names).items() if name.isupper() and isinstance(text, str))
"""Every label, annotation and resource by which scheduling is asked for or answered."""


def bare_pod(pod: SchedulingPod) -> SchedulingPod:
    """Returns a pod as only scheduling needs it."""
    spec = msgspec.structs.replace(
        pod.spec,
        volumes=[_bare_volume(one) for one in pod.spec.volumes if one.persistent_volume_claim or one.ephemeral],
        resource_claims=[{} for _ in pod.spec.resource_claims],
    )
    status = msgspec.structs.replace(pod.status, conditions=[_bare_condition(one) for one in pod.status.conditions])
    return SchedulingPod(metadata=_bare_metadata(pod.metadata), spec=spec, status=status)


def bare_node(node: SchedulingNode) -> SchedulingNode:
    """Returns a node as only scheduling needs it; when its kubelet was last heard is no part of that."""
    ready = [_bare_condition(one) for one in node.status.conditions if one.type == "Ready"]
    status = msgspec.structs.replace(node.status, conditions=ready)
    return SchedulingNode(metadata=_bare_metadata(node.metadata), spec=node.spec, status=status)


def _bare_metadata(metadata: Metadata) -> Metadata:
    return Metadata(
        name=metadata.name,
        namespace=metadata.namespace,
        uid=metadata.uid,
        creation_timestamp=metadata.creation_timestamp,
        deletion_timestamp=metadata.deletion_timestamp,
        labels=metadata.labels,
        annotations={name: text for name, text in metadata.annotations.items() if name in WORDS},
        owner_references=metadata.owner_references,
    )


def _bare_condition(condition: Condition) -> Condition:
    return msgspec.structs.replace(condition, message="")


def _bare_volume(volume: Volume) -> Volume:
    # Of an ephemeral volume only that it is one counts; its template says what storage it wants.
    ephemeral: Any = {} if volume.ephemeral is not None else None
    return msgspec.structs.replace(volume, ephemeral=ephemeral)
