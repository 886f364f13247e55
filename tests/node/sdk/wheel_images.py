"""What the images in the wheel's e2e tests mean on this machine: which example of ours each stands for."""

from dataclasses import dataclass
from pathlib import Path

from tests.node.ground import MachineGround
from tools import frameworks

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).parent / "images" / "example.py"


@dataclass(frozen=True)
class Image:
    """One image: the example that runs in its place, and how often it steps."""

    pattern: str
    example: str = ""
    steps: int = 100
    takes_steps: bool = True
    """Whether the example has a word for the number of its steps."""
    path: str = ""
    """Where the image has the program that the manifest names; empty when the program is its entry point."""
    words: tuple[str, ...] = ()
    """What else the mapping says."""

    def mapping(self, environment: Path) -> list[str]:
        """Returns the words of `corral image map` that say so."""
        if not self.example:
            return [self.pattern, "--python", str(environment), *self.words]
        folders = (ROOT / "examples/kit", ROOT / "examples" / self.example)
        words = f"EXAMPLE_WORDS=--steps {self.steps}" if self.takes_steps else f"EXAMPLE_STEPS={self.steps}"
        program = ("--file", f"{PROGRAM}:{self.path}") if self.path else ("--command", f"python {PROGRAM}")
        variables = ("--env", f"PYTHONPATH={':'.join(map(str, folders))}", "--env", words)
        return [self.pattern, "--python", str(environment), *variables, *program, *self.words]


@dataclass(frozen=True)
class File:
    """One file of the wheel's tests."""

    name: str
    framework: str
    rung: str
    images: tuple[Image, ...]
    tests: tuple[str, ...] = ("test_sdk_e2e",)
    """Those that need no gang scheduler."""
    processors: float = 2.0
    """How many the pods of one job ask for together, at most."""
    says: str = "done accuracy="
    """What the program tells at its end."""

    def __str__(self) -> str:
        return self.name.removeprefix("test_e2e_").removesuffix(".py")

    def map_images(self, ground: MachineGround) -> None:
        """Says on a ground what the images of this file mean."""
        environment = frameworks.make(self.framework)
        for image in self.images:
            done = ground.corral("image", "map", *image.mapping(environment))
            assert done.returncode == 0, done.stderr


FILES = (
    File(
        "test_e2e_jaxjob.py",
        "jax",
        "test",
        (Image("docker.io/kubeflow/jaxjob-dist-spmd-mnist:latest", "02-jax", takes_steps=False),),
        processors=2.4,
    ),
    File(
        "test_e2e_mpijob.py",
        # Its mpirun is told with words that Open MPI 5 no longer takes.
        "openmpi4",
        "test",
        (Image("horovod/horovod:0.28.1", "03-mpi-allreduce", path="/horovod/examples/pytorch/pytorch_mnist.py"),),
    ),
    File(
        "test_e2e_xgboostjob.py",
        "xgboost",
        "test",
        (Image("docker.io/kubeflow/xgboost-dist-iris:latest", "04-xgboost", steps=10, takes_steps=False),),
    ),
    File(
        "test_e2e_pytorchjob.py",
        "torch",
        "ci",
        (
            Image("kubeflow/pytorch-dist-mnist:latest", "10-pytorch-ddp", steps=50),
            Image("docker.io/pytorch/pytorch*"),
            Image("docker.io/hello-world", words=("--command", "echo Hello from Docker!")),
        ),
        tests=tuple(f"test_sdk_e2e{end}" for end in ("", "_managed_by", "_create_from_func", "_create_from_image")),
    ),
    File(
        "test_e2e_tfjob.py",
        "tensorflow",
        "ci",
        (
            Image(
                "gcr.io/kubeflow-ci/tf-mnist-with-summaries:1.0",
                "14-tensorflow-mirrored",
                path="/var/tf_mnist/mnist_with_summaries.py",
            ),
        ),
    ),
    File(
        "test_e2e_paddlejob.py",
        "paddle",
        "full",
        (Image("docker.io/paddlepaddle/paddle:2.4.0rc0-cpu"),),
        says="Distributed training completed",
    ),
)
