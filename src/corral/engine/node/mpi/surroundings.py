"""What a pod of an MPI job finds around it on this machine, ready for its start: programs, variables, folders."""

import os
from collections.abc import Callable, Mapping

from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.roles import LaunchSite, launcher_variables, role_of, worker_variables
from corral.engine.node.mpi.stand_ins import install_stand_ins
from corral.kinds.objects import Object, uid_of
from corral.reconcile.frameworks.mpi import CONFIG_PATH


def mpi_surroundings(
    pod: Object, env: Mapping[str, str], folder: NodeFolder, translate: Callable[[str], str] = str
) -> dict[str, str]:
    """Returns the variables to put over those of a container of a pod; none for pods of other kinds.

    `env` is everything that the container would have otherwise. The stand-ins are the first in its PATH. `translate` turns
    the path of a mount into where it really is.
    """
    if role_of(pod) is None:
        return {}
    install_stand_ins(folder)
    own = os.path.join(folder.pod(uid_of(pod)), "mpi")
    os.makedirs(own, mode=0o700, exist_ok=True)
    path = os.pathsep.join((folder.stand_ins, env.get("PATH") or os.defpath))
    site = LaunchSite(folder.stand_ins, translate(CONFIG_PATH), is_root=os.getuid() == 0)
    told = {**launcher_variables(pod, env, site), **worker_variables(pod, env, own)}
    return {"PATH": path, **told}
