"""`corral submit`: one command for each type of jobs, all made of the same table of flags."""

from typing import Any

import click

from corral.surfaces.cli.commands import Entry, Section
from corral.surfaces.cli.lazy_group import LazyGroup

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
    "sparkjob": (("spark",), "Spark", "its own operator runs a SparkApplication: `corral apply -f application.yaml`"),
    "volcanojob": (("vj",), "Volcano", "Volcano runs its own Job: `corral apply -f job.yaml`; or any type with --gang"),
    "rayjob": (("rj",), "Ray", "KubeRay runs a RayJob: `corral apply -f rayjob.yaml`"),
}
"""Types of Arena that other systems run: their other names, the system, and what to do."""


class SubmitGroup(LazyGroup):
    """The types of jobs; a type that another system runs is known by name, and says so."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(package=__name__, sections=SECTIONS, **settings)
        self._elsewhere = {name: word for word, (aliases, *_) in ELSEWHERE.items() for name in (word, *aliases)}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of a type."""
        name = self._names.get(cmd_name)
        if name is None:
            return None
        from corral.surfaces.cli.verbs.submit.typed import typed_command

        return typed_command(name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command of the first word; what others run is refused with what to do."""
        if args and args[0] in self._elsewhere:
            from corral.surfaces.cli.mistyped import Mistyped

            word = self._elsewhere[args[0]]
            _, system, hint = ELSEWHERE[word]
            raise Mistyped(f"{word} is not a job of ours: {system} is not planned", hint, ctx)
        return super().resolve_command(ctx, args)


submit = SubmitGroup(
    name="submit",
    help="""Submit a job in one line, as with Arena.

    \b
    corral submit tfjob --name mnist --image tensorflow/tensorflow --workers 2 --ps 1 'python train.py'
    corral submit pytorchjob --name bert --image my/torch --workers 4 --gpus 8 -- torchrun train.py --lr 0.1
    corral submit mpijob --name hvd --image my/horovod --workers 2 --data images:/images 'mpirun python train.py'

    Command lines of Arena are taken as they are, also with its early spellings (--syncMode, --sshPort).
    """,
)
