"""What was measured of this machine, in the words of a Node."""

from corral import __version__
from corral.engine.node.machine.capacity import Capacity, System
from corral.engine.node.membership.node_object import Machine
from corral.kinds.nodes import GPU

KUBERNETES = "v1.34.2"
"""The release whose kubelet this node plays."""


def amounts_of(capacity: Capacity) -> dict[str, str]:
    """Returns what can be given out, by resource; GPUs only where there are some."""
    amounts = {
        "cpu": str(capacity.cpus),
        "memory": f"{capacity.memory_bytes // 1024}Ki",
        "ephemeral-storage": f"{capacity.storage_bytes // 1024}Ki",
    }
    return {**amounts, GPU: str(len(capacity.gpus))} if capacity.gpus else amounts


def described(capacity: Capacity, system: System) -> Machine:
    """Returns the machine as its Node tells it."""
    facts = {
        "architecture": system.architecture,
        "bootID": system.boot_id,
        "containerRuntimeVersion": f"processes://{__version__}",
        "kernelVersion": system.kernel,
        "kubeProxyVersion": "",
        "kubeletVersion": f"{KUBERNETES}+corral-{__version__}",
        "machineID": system.machine_id,
        "operatingSystem": system.operating_system,
        "osImage": system.image,
        "systemUUID": system.system_uuid,
    }
    models = sorted({gpu.model.replace(" ", "-") for gpu in capacity.gpus})
    labels = {f"{GPU}.product": models[0]} if len(models) == 1 else {}
    return Machine(amounts_of(capacity), facts, labels)
