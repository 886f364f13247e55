"""What Nodes carry besides what Kubernetes defines, so that those who write it and those who read it agree."""

from corral.kinds.objects import Object, labels_of

PROCESS_NODE = "corral.dev/process-node"
"""On a node that runs pods as processes of this machine."""
FAKE_NODE = "corral.dev/fake-node"
"""On a node that runs nothing: its pods only look as if they ran."""
PLAYED = "fake://"
"""How the identities of containers begin that such a node plays."""
LOOPBACK_PORTS = "corral.dev/loopback-ports"
"""The annotation of a Service with the port of this machine that each of its ports has: {"5000": 21034}."""
CERTIFICATE_FINGERPRINT = "corral.dev/kubelet-certificate-sha256"
"""The annotation with the fingerprint of the certificate that the node's own API serves with, in hexadecimal digits.

Such a certificate is signed by nobody else. Whoever trusts the API knows by this whom it speaks with, and shows its token
to nobody else.
"""
GPU = "nvidia.com/gpu"
"""The resource by which nodes offer GPUs, and pods ask for them."""


def is_process_node(node: Object) -> bool:
    """Whether a node runs pods as processes."""
    return labels_of(node).get(PROCESS_NODE) == "true"


def is_fake_node(node: Object) -> bool:
    """Whether a node only plays its pods."""
    return labels_of(node).get(FAKE_NODE) == "true"
