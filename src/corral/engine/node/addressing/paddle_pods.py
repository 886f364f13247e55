"""What is different for pods of Paddle jobs on one machine: they are told the address that is theirs.

Paddle's launcher takes the address of the host's name for its own. On a cluster that is the pod's address; here it is one of the
machine, so that no process would know itself as the meeting place, and all would wait for it. What the pod sets stays.
"""

from collections.abc import Mapping

from corral.engine.node.addressing.loopback import address_of
from corral.kinds.objects import Object, key_of, labels_of
from corral.kinds.training.paddle import PADDLE_JOB
from corral.reconcile.training.labels import OPERATOR_NAME

_OWN_ADDRESS = "POD_IP"
"""Where the launcher looks before it asks the system."""


def paddle_variables(pod: Object, env: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables to add to those of a container; none for pods of other kinds, and none that it has already."""
    is_paddle = labels_of(pod).get(OPERATOR_NAME) == PADDLE_JOB.controller_name
    if not is_paddle or pod["spec"].get("hostNetwork") or _OWN_ADDRESS in env:
        return {}
    return {_OWN_ADDRESS: address_of(*key_of(pod))}
