"""Which framework a script is for is read from its imports, and nothing of it is run."""

import pytest

from corral.errors import PermanentError
from corral.kinds.script_run.framework_guess import Guess, guessed
from corral.kinds.script_run.frameworks import framework_named


def guess(text: str, **modules: str) -> Guess:
    return guessed(text, "train.py", {name.replace("__", "."): own for name, own in modules.items()}.get)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("import torch", "pytorch"),
        ("import torch.distributed as dist", "pytorch"),
        ("from torch.nn.parallel import DistributedDataParallel", "pytorch"),
        ("import pytorch_lightning as pl", "pytorch"),
        ("import tensorflow as tf", "tensorflow"),
        ("from tensorflow import keras", "tensorflow"),
        ("import jax.numpy as jnp", "jax"),
        ("import xgboost", "xgboost"),
        ("from mpi4py import MPI", "mpi"),
        ("import horovod.torch as hvd\nimport torch", "mpi"),
        ("import paddle", "paddle"),
        ("import mxnet as mx", "mxnet"),
        ("def main():\n    import jax\n", "jax"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\n", "pytorch"),
        # Data is loaded with the tools of others.
        ("import jax\nimport tensorflow as tf", "jax"),
        ("import jax\nfrom torch.utils.data import DataLoader", "jax"),
    ],
)
def test_the_imports_of_a_script_tell_its_framework(text: str, want: str) -> None:
    found = guess(text).framework
    assert found is not None
    assert found.name == want


@pytest.mark.parametrize(
    "text", ["", "print('torch')", "import numpy", "import torchlike", "from .torch_tools import x"]
)
def test_a_script_without_a_known_import_has_no_framework(text: str) -> None:
    assert guess(text).candidates == ()


def test_modules_of_the_folder_are_looked_into_when_the_script_says_nothing() -> None:
    deep = guess("from model import Net", model="from parts.layers import Layer", parts__layers="import torch")
    assert deep.framework is framework_named("torch")
    assert "torch" in deep.modules
    package = guess("from nets import small", nets__small="import jax")
    assert package.framework is framework_named("jax")


def test_modules_that_import_each_other_or_are_broken_end_the_search() -> None:
    assert guess("import a", a="import b", b="import a").candidates == ()
    assert guess("import a", a="def broken(:").candidates == ()


def test_a_script_that_imports_several_frameworks_is_not_guessed() -> None:
    found = guess("import torch\nimport xgboost")
    assert found.framework is None
    assert [one.name for one in found.candidates] == ["pytorch", "xgboost"]


@pytest.mark.parametrize("text", ["import torch\nprint 'x'\n", "\0", "if True:\nx"])
def test_a_text_that_is_no_python_is_refused(text: str) -> None:
    with pytest.raises(PermanentError) as refused:
        guess(text)
    assert refused.value.code == "bad-script"
    assert refused.value.message.startswith("train.py")


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("torch", "pytorchjob"),
        ("PyTorchJob", "pytorchjob"),
        ("tf", "tfjob"),
        ("tensorflow", "tfjob"),
        ("mxnet", "mxjob"),
    ],
)
def test_frameworks_go_by_the_names_that_people_use(word: str, want: str) -> None:
    assert framework_named(word).type == want


def test_an_unknown_framework_is_told_the_known_ones() -> None:
    with pytest.raises(PermanentError, match="there is no framework") as refused:
        framework_named("caffe")
    assert refused.value.hint == "frameworks are pytorch, tensorflow, jax, xgboost, mpi, paddle, mxnet"
