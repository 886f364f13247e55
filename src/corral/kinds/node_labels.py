"""The labels by which Corral's own nodes are told from those of a cluster."""

from corral.kinds.objects import Object, labels_of

PROCESS_NODE = "corral.dev/process-node"
"""On a node that runs pods as processes of this machine."""
FAKE_NODE = "corral.dev/fake-node"
"""On a node that runs nothing: its pods only look as if they ran."""


def is_process_node(node: Object) -> bool:
    """Whether a node runs pods as processes."""
    return labels_of(node).get(PROCESS_NODE) == "true"


def is_fake_node(node: Object) -> bool:
    """Whether a node only plays its pods."""
    return labels_of(node).get(FAKE_NODE) == "true"
