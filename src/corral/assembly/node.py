"""`corral node` and `corral image`: this machine as a node, and what image names mean on it."""

import os
from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.access import access_from_outside
from corral.engine.supervisor.home import default_home
from corral.engine.supervisor.unusable_home import examine

if TYPE_CHECKING:
    from corral.engine.node.images.orders import ImageOrders


class NodeFlags(NamedTuple):
    """What the command line of `corral node` says."""

    kubeconfig: str = ""
    context: str = ""
    name: str = ""
    folder: str = ""
    client_ca_file: str = ""
    is_tainted: bool = True


def run_node(flags: NodeFlags) -> None:
    """Keeps the pods of this machine for a cluster until SIGTERM or SIGINT."""
    import asyncio

    from corral.adapters.system.log_lines import begin_logging
    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.process import NodeOrders
    from corral.engine.node.process import run as keep_pods

    begin_logging("text")
    access = access_from_outside(flags.kubeconfig, flags.context)
    home = default_home()
    # A folder for each cluster, and what images mean here for all of them.
    folder = flags.folder or os.path.join(home.root, "nodes", access.context or "cluster")
    images = "" if flags.folder else NodeFolder(home.node).images
    orders = NodeOrders(
        folder,
        flags.name,
        joins=True,
        is_tainted=flags.is_tainted,
        images=images,
        client_ca_file=flags.client_ca_file,
    )
    asyncio.run(keep_pods(access, orders))


def image_orders() -> "ImageOrders":
    """Returns the uses of `corral image`: what image names mean on this machine."""
    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.images.orders import ImageOrders
    from corral.engine.node.images.register import ImageRegister

    home = default_home()
    examine(home)
    return ImageOrders(ImageRegister(NodeFolder(home.node).images))
