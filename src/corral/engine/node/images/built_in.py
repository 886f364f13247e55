"""Images that Corral itself stands in for, so that jobs which name them run without a word from the user."""

import os.path
import sys

import corral
from corral.engine.node.images.mapping import ImageMapping

# The program runs in a container's environment, which need not lead to where Corral is installed.
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(corral.__file__)))

BUILT_IN: tuple[ImageMapping, ...] = (
    # The init container of an MPIJob v1 that brings kubectl and the list of hosts to the launcher.
    ImageMapping(
        pattern="mpioperator/kubectl-delivery*",
        command=(sys.executable, "-m", "corral.engine.node.addressing.kubectl_delivery"),
        env={"PYTHONPATH": _HERE},
    ),
)
