"""Images that Corral itself stands in for, so that jobs which name them run without a word from the user."""

from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.mpi.own_programs import program

BUILT_IN: tuple[ImageMapping, ...] = (
    # The init container of an MPIJob v1 that brings kubectl and the list of hosts to the launcher.
    ImageMapping(
        pattern="mpioperator/kubectl-delivery*",
        command=program("corral.engine.node.mpi.kubectl_delivery"),
    ),
)
