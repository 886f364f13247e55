"""`corral submit`: one command for each type of jobs, all made of the same table of flags."""

import click

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Elsewhere, Entry, Section

SECTIONS: dict[str, Section] = {
    "Types of jobs": {
        "tfjob": Entry("TensorFlow: workers, parameter servers, chief, evaluator.", ("tf",)),
        "pytorchjob": Entry("PyTorch: a master and workers.", ("pytorch",)),
        "mpijob": Entry("MPI: a launcher and workers.", ("mpi",)),
        "horovodjob": Entry("Horovod, as an MPIJob.", ("horovod", "hj")),
        "etjob": Entry("Elastic training by Horovod, as an MPIJob.", ("et",)),
        "deepspeedjob": Entry("DeepSpeed, as an MPIJob.", ("dp",)),
        "jaxjob": Entry("JAX: workers.", ("jax",)),
        "xgboostjob": Entry("XGBoost and LightGBM: a master and workers.", ("xgboost", "xgb")),
        "paddlejob": Entry("PaddlePaddle: workers.", ("paddle",)),
        "mxjob": Entry("MXNet: a scheduler, servers and workers.", ("mxnet",)),
    },
}

ELSEWHERE = {
    "sparkjob": Elsewhere(
        "Spark has an operator of its own", "it runs a SparkApplication: `corral apply -f application.yaml`", ("spark",)
    ),
    "volcanojob": Elsewhere(
        "Volcano has jobs of its own", "`corral apply -f job.yaml`, or any type here with --gang", ("vj",)
    ),
    "rayjob": Elsewhere("Ray has an operator of its own", "KubeRay runs a RayJob: `corral apply -f ray.yaml`", ("rj",)),
}
"""Types of Arena that other systems run."""


class SubmitGroup(LazyGroup):
    """The types of jobs, whose commands are made of one table."""

    def load(self, name: str) -> click.Command:
        """Returns the command of a type."""
        from corral.surfaces.cli.verbs.submit.typed import typed_command

        return typed_command(name)


submit = SubmitGroup(
    name="submit",
    package=__name__,
    sections=SECTIONS,
    elsewhere=ELSEWHERE,
    help="""Submit a job in one line, as with Arena.

    \b
    corral submit tfjob --name a --image my/tf --workers 2 --ps 1 'python a.py'
    corral submit pytorchjob --name b --image my/pt --gpus 8 -- torchrun train.py
    corral submit mpijob --name c --image my/hvd -d images:/images 'mpirun a.py'

    Command lines of Arena are taken as they are, also with its early spellings (--syncMode, --sshPort).
    """,
)
